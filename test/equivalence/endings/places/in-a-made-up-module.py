import sys
import types

module = types.ModuleType("made_up")
module.kept = begin()
sys.modules["made_up"] = module
del module
