# install.cmake -- where everything goes: `cmake --install`, `cmake --build BUILD --target uninstall`, `cpack`.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON) # cpack and the target install take what is built: not all tests first
set(home ${CMAKE_INSTALL_DATADIR}/stillpoint)
install(TARGETS stillpoint RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY clients experiments templates DESTINATION ${home})
install(FILES plots/figure.gp DESTINATION ${home}/plots)
install(FILES docs/references.bib DESTINATION ${home})
install(FILES README.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md")
install(DIRECTORY plots DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.svg"
        REGEX "plots/[^/]*\\." EXCLUDE PATTERN "*.timings.svg" EXCLUDE) # other scales, this machine
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

# A program of the build prints the manual, unless it is for another processor.
if(NOT CMAKE_CROSSCOMPILING)
  set(manual ${CMAKE_BINARY_DIR}/generated/manual)
  file(MAKE_DIRECTORY ${manual})
  set(made)
  foreach(page man bash zsh)
    add_custom_command(OUTPUT ${manual}/${page} COMMAND stillpoint_manual ${page} > ${manual}/${page}
                       DEPENDS stillpoint_manual COMMENT "manual: ${page}")
    list(APPEND made ${manual}/${page})
  endforeach()
  add_custom_target(manual ALL DEPENDS ${made})
  install(FILES ${manual}/man DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 RENAME stillpoint.1)
  install(FILES ${manual}/bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME stillpoint)
  install(FILES ${manual}/zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _stillpoint)
endif()

add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -D MANIFEST=${CMAKE_BINARY_DIR}/install_manifest.txt
                                    -P ${CMAKE_SOURCE_DIR}/cmake/uninstall.cmake)

# --- packages ---------------------------------------------------------------------------------------------
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME stillpoint)
set(CPACK_PACKAGE_CONTACT "The Stillpoint developers <stillpoint@stillpoint.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "benchmark of differentially private non-convex optimisation")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON) # by dpkg-shlibdeps, of dpkg-dev
set(CPACK_DEBIAN_PACKAGE_DEPENDS "gnuplot-nox | gnuplot, fonts-dejavu-core, ca-certificates")
include(CPack)
