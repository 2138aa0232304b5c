// attune/compile/cache/request_key.ipp - hashes all inputs of a compilation.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/cache/request_key.hpp>
#include <attune/compile/source/entry.hpp>
#include <attune/compile/source/matrix_view_text.hpp>
#include <attune/compile/source/scan.hpp>
#include <attune/core/environment.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <array>
#include <filesystem>

namespace attune::inline ATTUNE_ABI::detail {

/// True when the result may depend on the current folder. This includes flags that may hold a path
/// or that write the folder into debug information.
[[nodiscard]] inline bool depends_on_current_folder(kernel_source const& kernel,
                                                    compile_request const& v)
{
    auto const relative = [](std::string const& path) { return !path.starts_with('/'); };
    auto const may_hold_path = [](std::string const& flag) {
        constexpr std::array<std::string_view, 7> pure{"-O", "-m", "-std=", "-W", "-D", "-U", "-f"};
        return std::none_of(pure.begin(),
                            pure.end(),
                            [&](std::string_view start) { return flag.starts_with(start); }) ||
               (flag.starts_with("-f") && flag.find('/') != std::string::npos);
    };
    return std::any_of(kernel.include_dirs.begin(), kernel.include_dirs.end(), relative) ||
           std::any_of(kernel.flags.begin(), kernel.flags.end(), may_hold_path) ||
           std::any_of(v.flags.begin(), v.flags.end(), may_hold_path) ||
           (relative(kernel.path) && !quoted_includes(kernel.text).empty());
}

ATTUNE_INLINE std::string request_key(std::string_view kind,
                                      std::string_view compiler,
                                      kernel_source const& kernel,
                                      compile_request const& v)
{
    content_hash key;
    auto const list = [&](std::string_view name, std::vector<std::string> const& texts) {
        key.add(name);
        for (std::string const& text : texts)
            key.add(text);
    };
    key.add(kind).add(compiler).add(translation_unit(kernel, v)).add(kernel.path);
    key.add(tunable_overlay).add(matrix_view_overlay);
    list("folders", kernel.include_dirs);
    list("flags", kernel.flags);
    list("flags of the variant", v.flags);
    list("macros", macro_flags(v));
    key.add("environment");
    for (char const* const name : {"CPATH",
                                   "C_INCLUDE_PATH",
                                   "CPLUS_INCLUDE_PATH",
                                   "GCC_EXEC_PREFIX",
                                   "COMPILER_PATH",
                                   "LIBRARY_PATH",
                                   "CCC_OVERRIDE_OPTIONS",
                                   "SOURCE_DATE_EPOCH"})
        key.add(environment_variable(name));
    std::error_code no_throw;
    if (depends_on_current_folder(kernel, v))
        key.add("folder").add(std::filesystem::current_path(no_throw).string());
    return key.hex();
}

} // namespace attune::inline ATTUNE_ABI::detail
