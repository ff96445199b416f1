# cmake -DINPUT=FILE -DOUTPUT=HEADER -DNAME=kName -P embed.cmake: a text file as a C++ string.
file(READ "${INPUT}" text)
file(WRITE "${OUTPUT}" "#pragma once\n\ninline constexpr char ${NAME}[] = R\"PY(${text})PY\";\n")
