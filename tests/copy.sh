# copy.sh -- for tests that change sources and build again: sourced, with SOURCE and STILLPOINT as in tests/CMakeLists.txt.
#
#   copy_tree      the checkout, without results and tests, to ./tree
#   configure      its build folder ./tree/build, with the compiler and the options of the build that is tested
#   build_again    builds the program there, from objects of the build that is tested where a .c file is the same;
#                  a changed header is therefore not noticed
build=$(dirname "$STILLPOINT")

copy_tree() {
    mkdir tree
    tar -C "$SOURCE" -c --exclude=./build --exclude=./.git --exclude=./results --exclude=./tests --exclude=./plots/'*/' . |
        tar -C tree -x
}

configure() {
    cat >launcher <<LAUNCHER
#!/bin/sh
# launcher COMPILER ... -o OBJECT ... -c FILE
object= file= before=
for word; do
    [ "\$before" != -o ] || object=\$word
    file=\$word before=\$word
done
same="$SOURCE/\${file#"$PWD/tree/"}"
if [ -n "\$object" ] && [ -f "$build/\$object" ] && cmp -s "\$file" "\$same"; then
    cp "$build/\$object" "\$object"
    echo "\$object: \$file" >"\$object.d" # what it depends on
else
    exec "\$@"
fi
LAUNCHER
    chmod +x launcher
    sed -n 's/^\(CMAKE_BUILD_TYPE\|CMAKE_C_COMPILER\|CMAKE_C_FLAGS[A-Z_]*\|STILLPOINT_[A-Z]*\):\([A-Z]*\)=\(.*\)/set(\1 "\3" CACHE \2 "")/p' \
        "$build/CMakeCache.txt" >cache.cmake
    cmake -C cache.cmake -G "Unix Makefiles" -DCMAKE_C_COMPILER_LAUNCHER="$PWD/launcher" -DBUILD_TESTING=OFF \
        -S tree -B tree/build >configure.log || { cat configure.log >&2; return 1; }
}

build_again() {
    cmake --build tree/build -j2 --target stillpoint >build.log 2>&1 || { cat build.log >&2; return 1; }
}
