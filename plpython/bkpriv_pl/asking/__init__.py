"""Questions about tables and releases: nothing here changes what is published."""
