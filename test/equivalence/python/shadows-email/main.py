import email
import email.own

print(email.__file__, email.own.mark)
try:
    import email.message
except ImportError as error:
    print(error)
