"""An open lake inside this process: folder, catalog, engine, lease, locks."""
