"""Releases that were made: recorded and read back, selected, and taken as a course of time.

What is recorded is input: it is checked before it is believed. Nothing here makes or shows a
release.
"""
