# Writes a C file with the text of INPUT as `const char NAME[]`, zero-terminated, and with the declaration that HEADER
# has for it:
#   cmake -D INPUT=... -D OUTPUT=... -D NAME=... -D HEADER=... -P embed_text.cmake
file(READ "${INPUT}" bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n    " bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes "${bytes}")
file(WRITE "${OUTPUT}" "#include \"${HEADER}\"\n\nconst char ${NAME}[] = {\n    ${bytes}0x00};\n")
