# What `cmake --install` puts where: headers, library, command, man page, and the files by which CMake
# (find_package(toile)) and pkg-config find them. All of it may be moved to another prefix later.
include(CMakePackageConfigHelpers)

set(TOILE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/toile)
get_target_property(TOILE_LIBRARY_TYPE toile TYPE)

install(TARGETS toile EXPORT toile_targets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/toile TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE TYPE DOC)
if(TOILE_BUILD_COMMAND)
    install(TARGETS toile_command)
    if(TOILE_CONVERT)
        install(TARGETS toile_convert)
    endif()
    install(FILES ${PROJECT_SOURCE_DIR}/docs/toile.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

install(EXPORT toile_targets NAMESPACE toile:: DESTINATION ${TOILE_CMAKE_DIR})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/toileConfig.cmake.in toileConfig.cmake
    INSTALL_DESTINATION ${TOILE_CMAKE_DIR})
# Before 1.0 a minor version may break the API.
write_basic_package_version_file(toileConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/toileConfig.cmake ${PROJECT_BINARY_DIR}/toileConfigVersion.cmake
    DESTINATION ${TOILE_CMAKE_DIR})

# A program that links the static library links what the library needs. There is no shared one beside it,
# so pkg-config says so without being asked with --static.
set(TOILE_PC_NEEDS "-lm -pthread")
if(TOILE_GTS)
    string(APPEND TOILE_PC_NEEDS " -lgts -lglib-2.0")
endif()
if(TOILE_GL)
    string(APPEND TOILE_PC_NEEDS " -lepoxy -lEGL")
endif()
if(TOILE_LIBRARY_TYPE STREQUAL STATIC_LIBRARY)
    set(TOILE_PC_STATIC_NEEDS " ${TOILE_PC_NEEDS}")
endif()
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
    OUTPUT_VARIABLE TOILE_PC_PREFIX)
configure_file(${CMAKE_CURRENT_LIST_DIR}/toile.pc.in toile.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/toile.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
