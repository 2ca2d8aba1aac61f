import mimetypes

mimetypes.types_map[".own"] = begin()
