# cmake -DOUTPUT=file.cpp -DFILES=a.cuh,b.cuh -P EmbedDevice.cmake
# Writes a C++ file that defines sinter::cuda::deviceFiles, the texts of the files by their
# names without suffix.
string(REPLACE "," ";" files "${FILES}")
set(text "#include \"DeviceFiles.h\"\n\nusing namespace sinter::cuda;\n\nstatic constexpr DeviceFile files[] = {\n")
foreach(file ${files})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} content)
  string(APPEND text "{\"${name}\", R\"sinter(${content})sinter\"},\n")
endforeach()
file(WRITE ${OUTPUT} "${text}};\n\nconst llvm::ArrayRef<DeviceFile> sinter::cuda::deviceFiles(files);\n")
