"""The numbers and drawings behind a page whose sliders move."""
