# What `cmake --install` lays down: the program, its workers (bindings/), the libraries with their headers, contracts, pages, and the
# package that find_package(bitpact) reads. tests/install builds a consumer of it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(installed_layers)
foreach(layer IN LISTS BITPACT_LAYERS)
  if(TARGET bitpact_${layer})
    list(APPEND installed_layers bitpact_${layer})
    file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${layer}/*.h ${PROJECT_SOURCE_DIR}/src/${layer}/*.def)
    install(FILES ${headers} DESTINATION include/bitpact/${layer})
  endif()
endforeach()
# One name for all of them.
list(GET seen 0 top)
add_library(bitpact_all INTERFACE)
set_target_properties(bitpact_all PROPERTIES EXPORT_NAME bitpact)
target_link_libraries(bitpact_all INTERFACE ${top})

install(TARGETS bitpact_all ${installed_layers} EXPORT bitpact-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT bitpact-targets NAMESPACE bitpact:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/bitpact)
configure_package_config_file(cmake/bitpact-config.cmake.in ${PROJECT_BINARY_DIR}/bitpact-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/bitpact)
# Before 1.0 a minor version may change the interfaces.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/bitpact-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/bitpact-config.cmake ${PROJECT_BINARY_DIR}/bitpact-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/bitpact)
if(TARGET bitpact)
  install(TARGETS bitpact RUNTIME DESTINATION bin)
endif()
install(DIRECTORY contracts DESTINATION share/bitpact)
install(DIRECTORY docs/ DESTINATION share/doc/bitpact)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION share/doc/bitpact)
