import gc


class Node:
    pass


print(gc.isenabled(), gc.get_threshold(), gc.get_debug(), gc.garbage, gc.callbacks)
node = Node()
node.self = node
import weakref

seen = weakref.ref(node)
del node
gc.collect()
print(seen())
