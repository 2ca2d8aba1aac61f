from json import no_such_name
