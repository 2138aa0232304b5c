// attune/compile/cache/detail/input_list.hpp - the files that compiled code depends on, and their check.
// SPDX-License-Identifier: MIT
//
// Like git and ccache, attune does not read a file again if its size, number and times are
// unchanged. A file that changed just before it was read gives no list, because its times could not
// show a later change.
#pragma once

#include <attune/compile/cache/object_cache.hpp>
#include <attune/compile/detail/file_stamp.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/posix/descriptor.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Returns true if a flag may name a file, or writes the current folder into debug information.
[[nodiscard]] inline bool may_hold_path(std::string_view flag)
{
    // The values of -Wp, -Wa and -Wl may be paths, and so may the values of some flags of -f and
    // -m.
    if (flag.starts_with("-Wp,") || flag.starts_with("-Wa,") || flag.starts_with("-Wl,"))
        return true;
    constexpr std::array<std::string_view, 7> pure{"-O", "-m", "-std=", "-W", "-D", "-U", "-f"};
    if (std::none_of(pure.begin(), pure.end(),
                     [&](std::string_view start) { return flag.starts_with(start); }))
        return true;
    if (!flag.starts_with("-f") && !flag.starts_with("-m")) return false;
    constexpr std::array<std::string_view, 6> of_files{"file",   "list", "plugin",
                                                       "module", "dump", "specs"};
    return flag.find('/') != flag.npos ||
           std::any_of(of_files.begin(), of_files.end(),
                       [&](std::string_view word) { return flag.find(word) != flag.npos; });
}

/// Returns true if a flag makes a compiler read inputs that a list of files cannot cover: a
/// profile, modules made during the compilation, a plugin, another installation.
[[nodiscard]] inline bool reads_the_unknown(std::string_view flag)
{
    constexpr std::array<std::string_view, 22> starts{"-fprofile-",
                                                      "-fauto-profile",
                                                      "-fbranch-prob",
                                                      "-fcs-profile",
                                                      "-fmodule",
                                                      "-fimplicit-module",
                                                      "-fprebuilt-module",
                                                      "-fplugin",
                                                      "-fpass-plugin",
                                                      "-load",
                                                      "-fthinlto",
                                                      "-specs",
                                                      "--specs",
                                                      "-B",
                                                      "--sysroot",
                                                      "-isysroot",
                                                      "--gcc-",
                                                      "--config",
                                                      "-ivfsoverlay",
                                                      "-working-directory",
                                                      "-vfsoverlay",
                                                      "-resource-dir"};
    return flag.find('@') == 0 || flag.find(",@") != flag.npos ||
           std::any_of(starts.begin(), starts.end(),
                       [&](std::string_view start) { return flag.starts_with(start); });
}

/// Adds the files that flags name. An existing file counts by its content. If a word has the form
/// of a path and no file exists, the path must stay absent.
/// @param flags  of the compiler, the kernel and the variant, without files of flags
inline void add_flag_files(std::vector<std::string> const& flags, cache_inputs& inputs)
{
    std::error_code no_throw;
    for (std::string const& flag : flags) {
        if (!may_hold_path(flag)) continue;
        inputs.unlisted = inputs.unlisted || reads_the_unknown(flag);
        for (std::string_view rest = flag; !rest.empty();) {
            std::size_t const end = std::min(rest.find_first_of("=,"), rest.size());
            std::string_view const word = rest.substr(0, end);
            rest.remove_prefix(std::min(end + 1, rest.size()));
            if (word.empty() || word.front() == '-') continue;
            std::string const path = std::filesystem::absolute(word, no_throw).string();
            if (stamp_of(path))
                inputs.read.push_back(path);
            else if (word.find_first_of("./") != word.npos && is_absent(path))
                inputs.missed.push_back(path);
        }
    }
}

struct cache_input {
    /// r: file; l: folder whose entries were listed; f: folder of the following m and d lines;
    /// m: absent; d: a folder, no file; t: tool; c: the current folder.
    char kind{};
    std::string hash{}; ///< of an r file's content
    file_stamp stamp{}; ///< stamp of r, l, f and t
    std::string path{};

    [[nodiscard]] static bool has_stamp(char kind)
    {
        return std::string_view("rlft").find(kind) != std::string_view::npos;
    }
    [[nodiscard]] std::string text() const
    {
        std::string line(1, kind);
        if (kind == 'r') line += ' ' + hash;
        if (has_stamp(kind))
            for (std::int64_t const n :
                 {stamp.bytes, stamp.modified_ns, stamp.changed_ns, stamp.number})
                line += ' ' + std::to_string(n);
        return line + ' ' + path + '\n';
    }
};

/// @return  empty if the line has another format
[[nodiscard]] inline std::optional<cache_input> parse_cache_input(std::string_view line)
{
    cache_input made;
    auto const next = [&] {
        std::size_t const end = std::min(line.find(' '), line.size());
        std::string_view const word = line.substr(0, end);
        line.remove_prefix(std::min(end + 1, line.size()));
        return word;
    };
    std::string_view const kind = next();
    if (kind.size() != 1 || std::string_view("rlfmdtc").find(kind) == kind.npos) return {};
    made.kind = kind.front();
    if (made.kind == 'r') made.hash = next();
    if (cache_input::has_stamp(made.kind))
        for (std::int64_t* const n : {&made.stamp.bytes, &made.stamp.modified_ns,
                                      &made.stamp.changed_ns, &made.stamp.number}) {
            std::string_view const word = next();
            if (std::from_chars(word.data(), word.data() + word.size(), *n).ec != std::errc{})
                return {};
        }
    made.path = line;
    return made;
}

/// Content hashes of files. Reads a file again only after a change. Thread-safe.
class file_hashes {
public:
    struct known {
        file_stamp stamp{};
        std::string hash{};
        bool tells_time = false; ///< contains __DATE__, __TIME__ or __TIMESTAMP__
    };

    /// @return  empty if the file cannot be read
    [[nodiscard]] std::optional<known> of(std::string const& path, file_stamp const& stamp)
    {
        {
            std::lock_guard const lock(mutex_);
            auto const found = files_.find(path);
            if (found != files_.end() && found->second.stamp == stamp) return found->second;
        }
        bool const keep = settled(stamp, system_clock_ns());
        std::optional<std::string> const text = file_text(path);
        if (!text) return {};
        known made{stamp, content_hash{}.add_raw(*text).hex(), tells_the_time(*text)};
        std::lock_guard const lock(mutex_);
        if (keep) files_[path] = made;
        return made;
    }

private:
    fork_safe_mutex mutex_{};
    std::map<std::string, known> files_{};
};

/// The list as text.  @return  empty if the code must not be kept
[[nodiscard]] inline std::optional<std::string> input_list_text(cache_inputs const& inputs,
                                                                file_hashes& hashes)
{
    if (inputs.unlisted) return {};
    std::string list;
    auto const add = [&](cache_input const& input) {
        list += input.text();
        return input.path.find('\n') == std::string::npos && input.path.starts_with('/');
    };
    if (!inputs.folder.empty() && !add({'c', {}, {}, inputs.folder})) return {};
    for (std::string const& path : inputs.read) {
        file_stamp const stamp = stamp_of_any(path);
        if (!settled(stamp, inputs.began_ns)) return {};
        if (is_folder(path)) {
            if (!add({'l', {}, stamp, path})) return {};
            continue;
        }
        if (!stamp_of(path)) return {};
        std::optional<file_hashes::known> const content = hashes.of(path, stamp);
        if (!content || content->tells_time) return {};
        if (!add({'r', content->hash, stamp, path})) return {};
    }
    std::map<std::string, std::vector<std::string>> missed; // by folder
    for (std::string path : inputs.missed) {
        bool const is_folder = path.ends_with('/');
        if (is_folder) path.pop_back();
        if (path.empty()) continue; // the root
        missed[folder_of(path)].push_back(is_folder ? path + '/' : path);
    }
    for (auto const& [folder, paths] : missed) {
        file_stamp stamp = stamp_of_any(folder);
        bool settles = settled(stamp, inputs.began_ns);
        for (std::string const& path : paths)
            settles = settles && !is_link(path.substr(0, path.find_last_not_of('/') + 1));
        if (!settles) stamp.number = -1; // matches no folder's stamp
        if (!add({'f', {}, stamp, folder})) return {};
        for (std::string const& path : paths) {
            bool const must_be_folder = path.ends_with('/');
            if (!(must_be_folder ? is_folder(path) : is_absent(path))) return {};
            if (!add({must_be_folder ? 'd' : 'm', {}, {}, path})) return {};
        }
    }
    for (std::string const& path : inputs.tools) {
        std::optional<file_stamp> const stamp = stamp_of(path);
        if (!stamp || (inputs.began_ns != 0 && !settled(*stamp, inputs.began_ns))) return {};
        if (!add({'t', {}, *stamp, path})) return {};
    }
    return list;
}

/// @return  empty if the text is no list
[[nodiscard]] inline std::optional<std::vector<cache_input>> parse_input_list(std::string_view text)
{
    std::vector<cache_input> inputs;
    while (!text.empty()) {
        std::size_t const end = text.find('\n');
        if (end == text.npos) return {};
        std::optional<cache_input> input = parse_cache_input(text.substr(0, end));
        if (!input) return {};
        inputs.push_back(std::move(*input));
        text.remove_prefix(end + 1);
    }
    return inputs;
}

/// Stamps of files. The last folder stays open for its next files, because long paths are slow:
/// /usr/lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/vector
class neighbour_stamps {
public:
    [[nodiscard]] std::optional<file_stamp> of(std::string const& path)
    {
        std::size_t const slash = path.rfind('/');
        if (path.compare(0, slash, folder_) != 0) {
            folder_ = path.substr(0, slash);
            opened_ = descriptor(::open(folder_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        }
        struct ::stat status{};
        if (!opened_ || ::fstatat(opened_.get(), path.c_str() + slash + 1, &status, 0) != 0 ||
            !S_ISREG(status.st_mode))
            return {};
        return stamp_of(status);
    }

private:
    std::string folder_{'\n'}; // matches no folder
    descriptor opened_{};
};

/// Returns true if a compilation would now read the same files with the same content.
[[nodiscard]] inline bool still_holds(std::vector<cache_input> const& inputs, file_hashes& hashes)
{
    neighbour_stamps stamps;
    bool folder_is_same = false;
    for (cache_input const& input : inputs) {
        switch (input.kind) {
        case 'c': {
            std::error_code no_throw;
            if (std::filesystem::current_path(no_throw).string() != input.path) return false;
            continue;
        }
        case 'f':
            folder_is_same = stamp_of_any(input.path) == input.stamp;
            continue;
        case 'm':
            if (!folder_is_same && !is_absent(input.path)) return false;
            continue;
        case 'd':
            if (!folder_is_same && !is_folder(input.path)) return false;
            continue;
        case 'l':
            if (stamp_of_any(input.path) != input.stamp) return false;
            continue;
        default:
            break;
        }
        std::optional<file_stamp> const stamp = stamps.of(input.path);
        if (!stamp) return false;
        if (*stamp == input.stamp) continue;
        if (input.kind == 't') return false;
        std::optional<file_hashes::known> const content = hashes.of(input.path, *stamp);
        if (!content || content->hash != input.hash) return false;
    }
    return true;
}

} // namespace attune::inline ATTUNE_ABI::detail
