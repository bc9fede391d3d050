"""Layers: objects that hold parameters and call functions of `nn.functional`. `base` has their base class."""
