# cmake -DINPUT=file -DOUTPUT=file.cpp -DNAME=kSymbol -P EmbedFile.cmake
# Writes a C++ file that defines `const llvm::StringRef sinter::package::<NAME>` with the
# bytes of a file.
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "(........................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "#include \"Embedded.h\"\n"
  "static constexpr unsigned char bytes[] = {\n${bytes}};\n"
  "const llvm::StringRef sinter::package::${NAME}(\n"
  "    reinterpret_cast<const char *>(bytes), sizeof(bytes));\n")
