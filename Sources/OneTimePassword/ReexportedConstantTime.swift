// Part of this module's public interface: apps compare codes and MACs with it.
@_exported import enum JSON.ConstantTime
