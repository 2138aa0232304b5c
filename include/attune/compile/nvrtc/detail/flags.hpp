// attune/compile/nvrtc/detail/flags.hpp - flags in the form that NVRTC accepts.
// SPDX-License-Identifier: MIT
//
// NVRTC user guide, and what 12.4, 12.9 and 13.0 accept
#pragma once

#include <attune/core/version.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A flag without blanks around it: NVRTC ignores them.
[[nodiscard]] inline std::string_view without_outer_blanks(std::string_view text)
{
    constexpr std::string_view blanks = " \t\n\v\f\r";
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    return text.substr(0, text.find_last_not_of(blanks) + 1);
}

/// True when the option, given alone, takes its value from the next flag.
[[nodiscard]] inline bool takes_next_flag(std::string_view flag)
{
    constexpr std::array<std::string_view, 20> names{"-I",
                                                     "--include-path",
                                                     "-include",
                                                     "--pre-include",
                                                     "-arch",
                                                     "--gpu-architecture",
                                                     "-D",
                                                     "--define-macro",
                                                     "-U",
                                                     "--undefine-macro",
                                                     "-maxrregcount",
                                                     "--maxrregcount",
                                                     "-ftz",
                                                     "--ftz",
                                                     "-prec-sqrt",
                                                     "--prec-sqrt",
                                                     "-prec-div",
                                                     "--prec-div",
                                                     "-fmad",
                                                     "--fmad"};
    return std::find(names.begin(), names.end(), flag) != names.end();
}

/// The same flags, each option and its value as one text ("-arch", "sm_80" becomes "-arch=sm_80"),
/// folders as "--include-path=folder". Unknown flags are not changed.
[[nodiscard]] inline std::vector<std::string> plain_flags(std::vector<std::string> const& flags)
{
    std::vector<std::string> plain;
    for (std::size_t i = 0; i < flags.size(); ++i) {
        std::string_view const flag = without_outer_blanks(flags[i]);
        if (takes_next_flag(flag)) {
            std::string name = flag == "-I" ? "--include-path" : std::string(flag);
            if (name != "-D" && name != "-U") name += '=';
            if (++i < flags.size()) name += without_outer_blanks(flags[i]);
            plain.push_back(std::move(name));
        } else if (flag.starts_with("-I")) {
            std::size_t const value = flag[2] == '=' ? 3 : 2;
            plain.push_back("--include-path=" +
                            std::string(without_outer_blanks(flag.substr(value))));
        } else {
            plain.emplace_back(flag);
        }
    }
    return plain;
}

/// The rest of `flag` after `start`; empty for another flag.
[[nodiscard]] inline std::string value_after(std::string_view flag, std::string_view start)
{
    return flag.starts_with(start) ? std::string(flag.substr(start.size())) : std::string{};
}

/// The folder of an --include-path flag; empty for another flag.
[[nodiscard]] inline std::string include_folder_of_flag(std::string_view flag)
{
    return value_after(flag, "--include-path=");
}

/// The headers that plain flags include, as quoted names. NVRTC searches for them in the current
/// folder, then in the include folders.
[[nodiscard]] inline std::vector<std::string>
headers_of_flags(std::vector<std::string> const& flags)
{
    std::vector<std::string> names;
    for (std::string const& flag : flags)
        for (std::string_view const start : {"--pre-include=", "-include="}) {
            std::string const name = value_after(flag, start);
            if (name.empty()) continue;
            std::error_code no_throw;
            names.push_back('"' + std::filesystem::absolute(name, no_throw).string() + '"');
            if (!name.starts_with('/')) names.push_back('"' + name + '"');
        }
    return names;
}

/// The name of an option that may be given only once (NVRTC before 13 refuses the second); empty
/// for other flags.
[[nodiscard]] inline std::string_view option_of_one_value(std::string_view flag)
{
    flag.remove_prefix(std::min(flag.find_first_not_of('-'), flag.size()));
    std::string_view const name = flag.substr(0, flag.find('='));
    if (name == "arch") return "gpu-architecture";
    for (std::string_view const one :
         {"std", "gpu-architecture", "maxrregcount", "ftz", "prec-sqrt", "prec-div", "fmad",
          "use_fast_math", "extra-device-vectorization", "restrict", "minimal",
          "generate-line-info", "lineinfo", "device-debug", "brief-diagnostics"})
        if (name == one) return one;
    return {};
}

/// The flags without those that a later flag overrides.
[[nodiscard]] inline std::vector<std::string> last_of_each(std::vector<std::string> const& flags)
{
    std::vector<std::string> kept;
    for (std::size_t i = 0; i < flags.size(); ++i) {
        std::string_view const option = option_of_one_value(flags[i]);
        bool const again =
            std::any_of(flags.begin() + static_cast<std::ptrdiff_t>(i) + 1, flags.end(),
                        [&](std::string const& later) {
                            return !option.empty() && option_of_one_value(later) == option;
                        });
        if (!again) kept.push_back(flags[i]);
    }
    return kept;
}

} // namespace attune::inline ATTUNE_ABI::detail
