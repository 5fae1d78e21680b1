-- Schemas. What people call is in bkpriv, which CREATE EXTENSION has made or found. The others must not
-- exist: what is in them would be taken for the extension's.

CREATE SCHEMA bkpriv_internal;
CREATE SCHEMA bkpriv_release;
