// attune/compile/nvrtc/detail/includes.hpp - flags, include folders and parsed headers for NVRTC.
// SPDX-License-Identifier: MIT
//
// NVRTC does not report the files it reads, and does not check precompiled headers for changes.
// Therefore every file that an include may refer to counts, in both branches of an `#if`. Headers
// of the toolkit count, but the files that they include do not.
// Source   NVRTC user guide, precompiled headers: valid only in the process that made them
// Source: NVRTC user guide, and the behaviour of 12.4, 12.9 and 13.0
#pragma once

#include <attune/compile/detail/file_stamp.hpp>
#include <attune/compile/nvrtc.hpp>
#include <attune/compile/nvrtc/detail/run.hpp>
#include <attune/compile/source/device_text.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/core/error.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
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

/// Returns true if the flag is an option without its value, which the next flag has.
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

/// The same flags, with each option and its value as one text ("-arch", "sm_80" becomes
/// "-arch=sm_80"), and folders as "--include-path=folder". Unknown flags stay unchanged.
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

/// Folders for parsed headers, one per #include block. The destructor removes them. Thread-safe.
class parsed_device_headers {
public:
    /// @return  the folder of a block; empty if it cannot be made or NVRTC could not use it
    [[nodiscard]] std::string place_for(std::string const& block)
    {
        std::lock_guard const lock(mutex_);
        try {
            if (!folder_) folder_ = std::make_unique<temporary_folder>();
        } catch (error const&) {
            return {}; // the kernel compiles without parsed headers
        }
        std::string const place = folder_->path() + '/' + block;
        std::error_code failed;
        std::filesystem::create_directory(place, failed);
        return failed || given_up_.contains(place) ? std::string{} : place;
    }

    /// Counts a run of NVRTC with `place`.
    void note(std::string const& place, nvrtc_reply const& reply)
    {
        std::lock_guard const lock(mutex_);
        if (reply.reused_headers) {
            ++counts_.reused;
        } else if (reply.headers == nvrtc::success) {
            ++counts_.created;
        } else if (reply.result == nvrtc::success) {
            ++counts_.failed;
            given_up_.insert(place);
        }
    }

    [[nodiscard]] header_statistics counts()
    {
        std::lock_guard const lock(mutex_);
        return counts_;
    }

private:
    std::mutex mutex_{};
    std::unique_ptr<temporary_folder> folder_{};
    std::set<std::string> given_up_{}; ///< folders of blocks that NVRTC could not keep
    header_statistics counts_{};
};

/// The file of every `#include`, `#embed` and `__has_include`, as include_name() returns it.
[[nodiscard]] inline std::vector<std::string> included_names(std::string_view text)
{
    std::vector<std::string> names;
    code_cursor cursor(text);
    bool line_start = true;
    while (!cursor.at_end()) {
        char const c = cursor.peek();
        if (line_start && c == '#') {
            std::size_t const begin = cursor.position();
            while (!cursor.at_end() && cursor.peek() != '\n')
                cursor.step();
            std::string_view line = text.substr(begin, cursor.position() - begin);
            std::size_t const word = std::min(line.find_first_not_of(" \t", 1), line.size());
            if (line.substr(word).starts_with("include")) names.push_back(include_name(line));
            while (line.find("__has_include") != line.npos) {
                line.remove_prefix(line.find("__has_include") + 6);
                std::size_t const open = std::min(line.find_first_of("\"<"), line.size());
                names.push_back(include_name("include " + std::string(line.substr(open))));
            }
            continue;
        }
        if (!code_cursor::is_space(c)) line_start = false;
        if (c == '\n') line_start = true;
        if (code_cursor::is_word(c))
            cursor.word();
        else
            cursor.step();
    }
    return names;
}

/// The files that a compilation may read.
struct include_closure {
    std::set<std::string> read{};   ///< absolute paths
    std::set<std::string> missed{}; ///< absent files, absolute paths
    bool is_known = true;           ///< false: an `#include` names its file by a macro
    std::string fingerprint{};      ///< hash of paths and contents of `read`
};

/// Follows includes. Thread-safe. Reads a file again only after a change.
class include_scanner {
public:
    /// @param folders  absolute paths, searched in order; their files are followed
    /// @param toolkit  folders of the toolkit, searched last; their files are not followed
    struct places {
        std::vector<std::string> folders{};
        std::vector<std::string> toolkit{};
    };

    /// All files reached from `names`, included by a file in `folder`.
    [[nodiscard]] include_closure closure(std::vector<std::string> const& names,
                                          std::string const& folder, places const& where)
    {
        include_closure found;
        content_hash hash;
        follow(names, folder, where, found);
        for (std::string const& path : found.read)
            hash.add(path).add(file(path).hash);
        found.fingerprint = hash.hex();
        return found;
    }

    /// Returns true if a file of a closure mentions one of the macros.
    [[nodiscard]] bool any_mentions(include_closure const& files,
                                    std::vector<macro_definition> const& macros)
    {
        return std::any_of(files.read.begin(), files.read.end(), [&](std::string const& path) {
            return mentions(file(path).text, macros);
        });
    }

private:
    struct known_file {
        file_stamp stamp{};
        std::string text{};
        std::string hash{};
        std::vector<std::string> names{};
    };

    void follow(std::vector<std::string> const& names, std::string const& folder,
                places const& where, include_closure& found)
    {
        for (std::string const& name : names) {
            if (name.size() < 3 || (name.front() != '"' && name.front() != '<')) {
                found.is_known = false;
                continue;
            }
            std::string const file_name = name.substr(1, name.size() - 2);
            if (file_name == "attune/tunable.hpp" || file_name == "attune/matrix_view.hpp")
                continue;
            if (file_name.front() == '/') {
                visit(file_name, where, found, true);
                continue;
            }
            if (name.front() == '"') visit(folder + '/' + file_name, where, found, true);
            for (std::string const& place : where.folders)
                visit(place + '/' + file_name, where, found, true);
            for (std::string const& place : where.toolkit)
                visit(place + '/' + file_name, where, found, false);
        }
    }

    void visit(std::string const& path, places const& where, include_closure& found, bool follows)
    {
        std::string const plain = std::filesystem::path(path).lexically_normal().string();
        if (!stamp_of(plain)) {
            if (follows) found.missed.insert(plain);
            return;
        }
        if (!found.read.insert(plain).second || !follows) return;
        follow(file(plain).names, folder_of(plain), where, found);
    }

    [[nodiscard]] known_file file(std::string const& path)
    {
        std::optional<file_stamp> const stamp = stamp_of(path);
        if (!stamp) return {};
        {
            std::lock_guard const lock(mutex_);
            auto const found = files_.find(path);
            if (found != files_.end() && found->second.stamp == *stamp) return found->second;
        }
        bool const keep = settled(*stamp, system_clock_ns());
        known_file made;
        made.stamp = *stamp;
        made.text = file_text(path).value_or(std::string{});
        made.hash = content_hash{}.add_raw(made.text).hex();
        made.names = included_names(made.text);
        std::lock_guard const lock(mutex_);
        if (keep) files_[path] = made;
        return made;
    }

    std::mutex mutex_{};
    std::map<std::string, known_file> files_{};
};

/// The folders to search for a kernel's includes; its own folder is the first.
/// @param flags  as plain_flags() returns them
[[nodiscard]] inline include_scanner::places nvrtc_places(kernel_source const& kernel,
                                                          std::vector<std::string> const& flags,
                                                          std::vector<std::string> const& toolkit)
{
    std::error_code no_throw;
    include_scanner::places where;
    auto const add = [&](std::string const& folder) {
        where.folders.push_back(std::filesystem::absolute(folder, no_throw).string());
    };
    add(folder_of(kernel.path));
    for (std::string const& folder : kernel.include_dirs)
        add(folder);
    for (std::string const& flag : flags)
        if (std::string const folder = include_folder_of_flag(flag); !folder.empty()) add(folder);
    where.toolkit = toolkit;
    return where;
}

} // namespace attune::inline ATTUNE_ABI::detail
