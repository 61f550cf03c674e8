# tokens.cmake -- the hash of a C source over its tokens, the same on every system, since CMake alone computes it.
#
# Comments, white space and the folder of an #include do not count. Literals count verbatim, and so does where a
# preprocessor line ends and whether a macro's name in #define is followed by "(" at once.
#
# The tokens stand one a line, so that "a+ +b" and "a++b" differ. CMake refuses a group in the replacement that matched
# nothing; hence one expression, in which the last group, the token, always matches: an empty line is a line's end.

string(ASCII 1 token_mark) # a line's end, for a while
string(ASCII 2 token_end)  # the end of a directive
string(ASCII 3 token_call) # between a macro's name and its parameters
set(token_blank "[ \t\r]+|//[^\n]*|/\\*[^*]*\\*+([^*/][^*]*\\*+)*/")
string(CONCAT token_one # the most frequent first: the expression is tried from left to right
  "[](){},;[]"
  "|[A-KM-TV-Za-tv-z_][A-Za-z0-9_]*"
  "|(u8|[LuU])?(\"[^\"\\\\\n]*(\\\\.[^\"\\\\\n]*)*\"|'[^'\\\\\n]*(\\\\.[^'\\\\\n]*)*')" # literals
  "|[LuU][A-Za-z0-9_]*"
  "|\\.?[0-9]([eEpP][-+]|[A-Za-z0-9_.])*" # numbers, as C reads them: 1e-5
  "|\\.\\.\\.|<<=|>>=|->|\\+\\+|--|<<|>>|&&|\\|\\||##|<:|:>|<%|%>|%:|[-+*/%&|^!<>=]=|.")

function(token_hash out file)
  file(READ ${file} text)
  string(REPLACE "\r\n" "\n" text "${text}")
  string(REPLACE "\\\n" "" text "${text}")
  string(REGEX REPLACE "(#[ \t]*define[ \t]+[A-Za-z0-9_]+)\\(" "\\1${token_call}(" text "${text}")
  string(REGEX REPLACE "(${token_blank})*(${token_one})" "\\3\n" text "\n${text}\n")
  string(REGEX REPLACE "\n\n+" "${token_mark}${token_mark}" text "\n${text}\n")
  string(REGEX REPLACE "${token_mark}(#[^${token_mark}]*)${token_mark}" "\n\\1\n${token_end}\n" text "${text}")
  string(REGEX REPLACE "[\n${token_mark}]+" "\n" text "${text}")
  string(REGEX REPLACE "(\n#\ninclude\n\")[^\"\n]*/" "\\1" text "${text}")
  string(SHA256 hash "${text}")
  set(${out} ${hash} PARENT_SCOPE)
endfunction()
