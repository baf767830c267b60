"""The stages that the project ships: one file each, registered as a third party's would be."""
