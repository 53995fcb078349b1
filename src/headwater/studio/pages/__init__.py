"""The screens of Studio: one folder or file each, with the path that it has in the address."""
