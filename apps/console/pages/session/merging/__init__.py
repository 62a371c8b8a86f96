"""What merging would do, as a page shows it before it is done."""
