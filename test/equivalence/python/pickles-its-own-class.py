import copy
import pickle
import pickletools
from dataclasses import dataclass, field
from typing import Optional, get_type_hints


@dataclass
class Point:
    x: int
    near: "Optional[Point]" = None
    tags: list = field(default_factory=list)


point = Point(1, Point(2))
data = pickle.dumps(point, protocol=4)
print(data, pickle.loads(data) == point, copy.deepcopy(point))
print(get_type_hints(Point), Point, Point.__module__, Point.__qualname__)
