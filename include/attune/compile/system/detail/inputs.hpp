// attune/compile/system/detail/inputs.hpp - the files that a spawned compiler depends on.
// SPDX-License-Identifier: MIT
//
// A spawned compiler, its assembler and its linker report the files that they read, but not the
// files that were missing. attune therefore searches for each name in an #include or __has_include
// as the compiler does, in the reported folders. Each place before the first found file counts as
// missed. Branches of an #if that were not taken count too.
#pragma once

#include <attune/compile/cache/detail/input_list.hpp>
#include <attune/compile/cache/object_cache.hpp>
#include <attune/compile/detail/file_stamp.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/compile/system/libraries.hpp>
#include <attune/core/environment.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The files in a rule for make: "object: a.cpp b.hpp \"; a blank in a name is written as "\ ".
[[nodiscard]] inline std::vector<std::string> files_of_rule(std::string_view rule)
{
    std::vector<std::string> files;
    std::string name;
    auto const finish = [&] {
        if (!name.empty()) files.push_back(std::move(name));
        name.clear();
    };
    for (std::size_t i = std::min(rule.find(": "), rule.size()) + 1; i < rule.size(); ++i) {
        char const c = rule[i];
        char const next = i + 1 < rule.size() ? rule[i + 1] : '\0';
        if (c == '\\' && next == '\n') {
            finish();
            ++i;
        } else if ((c == '\\' && (next == ' ' || next == '#')) || (c == '$' && next == '$')) {
            name += next;
            ++i;
        } else if (c == ' ' || c == '\n') {
            finish();
        } else {
            name += c;
        }
    }
    finish();
    return files;
}

/// A name in an #include, #embed or __has_include.
struct included_file {
    std::string name{}; ///< empty: a macro gives it
    bool is_quoted = false;
    bool is_next = false; ///< of #include_next: the search begins later
};

/// All names in a text, also in comments.
[[nodiscard]] inline std::vector<included_file> included_files(std::string text)
{
    for (std::size_t at = 0; (at = text.find("\\\n", at)) != text.npos;)
        text.erase(at, 2);
    std::vector<included_file> out;
    for (std::string_view const word : {"include", "import", "embed"})
        for (std::size_t at = 0; (at = text.find(word, at)) != text.npos;) {
            std::size_t const line = text.rfind('\n', at) + 1;
            std::size_t const first = text.find_first_not_of(" \t", line);
            at += word.size();
            included_file one;
            if (text.compare(at, 5, "_next") == 0) {
                one.is_next = true;
                at += 5;
            }
            if (text.compare(at, 2, "__") == 0) at += 2;
            std::size_t open = text.find_first_not_of(" \t(", at);
            while (open != text.npos && text.compare(open, 2, "/*") == 0) {
                open = text.find("*/", open);
                if (open != text.npos) open = text.find_first_not_of(" \t(", open + 2);
            }
            if (open == text.npos) continue;
            one.is_quoted = text[open] == '"';
            if (!one.is_quoted && text[open] != '<') {
                // Skips a word such as "included", and a word in a sentence.
                if (open > at && (text[first] == '#' || text[first] == '%' || text[first] == '?'))
                    out.push_back(one);
                continue;
            }
            std::size_t const close = text.find_first_of(one.is_quoted ? "\"\n" : ">\n", open + 1);
            if (close == text.npos || text[close] == '\n') continue;
            one.name = text.substr(open + 1, close - open - 1);
            if (!one.name.empty()) out.push_back(std::move(one));
        }
    return out;
}

/// The folders in which a compiler searches for headers. Absolute paths.
struct header_folders {
    std::vector<std::string> quoted{}; ///< for names in quotes, after the folder of the file
    std::vector<std::string> all{};    ///< for all names
    std::vector<std::string> absent{}; ///< missing folders of the search
    bool is_known = false;

    /// Returns false if the compiler would now search in other folders.
    [[nodiscard]] bool holds() const
    {
        return is_known && std::all_of(absent.begin(), absent.end(), is_absent) &&
               std::all_of(quoted.begin(), quoted.end(), is_folder) &&
               std::all_of(all.begin(), all.end(), is_folder);
    }
};

/// @param said  the output of the compiler with -v -E
[[nodiscard]] inline header_folders header_folders_in(std::string_view said)
{
    header_folders out;
    std::error_code no_throw;
    std::vector<std::string>* to = nullptr;
    while (!said.empty()) {
        std::size_t const end = std::min(said.find('\n'), said.size());
        std::string_view line = said.substr(0, end);
        said.remove_prefix(std::min(end + 1, said.size()));
        constexpr std::string_view absent = "ignoring nonexistent directory \"";
        if (line.starts_with(absent) && line.ends_with('"')) {
            line.remove_prefix(absent.size());
            line.remove_suffix(1);
            out.absent.push_back(std::filesystem::absolute(line, no_throw).string());
        } else if (line.starts_with("#include \"...\"")) {
            to = &out.quoted;
        } else if (line.starts_with("#include <...>")) {
            to = &out.all;
        } else if (line.starts_with("End of search list")) {
            out.is_known = to == &out.all;
            to = nullptr;
        } else if (to != nullptr && line.starts_with(' ')) {
            to->push_back(std::filesystem::absolute(line.substr(1), no_throw).string());
        }
    }
    return out;
}

/// The flags of a run of a compiler, and the files that the run reported.
struct system_run {
    std::string own{};                ///< its temporary folder; files in it do not count
    std::string compiler_rule{};      ///< of -MD
    std::string assembler_rule{};     ///< of -Wa,--MD; empty: none
    std::string linker_rule{};        ///< of -Wl,--dependency-file; empty: none
    header_folders folders{};         ///< folders for the same flags
    std::vector<std::string> flags{}; ///< flags, with those of libraries
    bool assembles_itself = false;    ///< no assembler reports its files
    std::int64_t began_ns{};
};

class system_inputs_finder {
public:
    system_inputs_finder(kernel_source const& kernel, system_run const& run)
        : kernel_(kernel)
        , run_(run)
    {
    }

    [[nodiscard]] cache_inputs find()
    {
        std::error_code no_throw;
        here_ = std::filesystem::current_path(no_throw).string();
        out_.began_ns = run_.began_ns;
        add_flag_files(run_.flags, out_);
        read_.insert(out_.read.begin(), out_.read.end());
        missed_.insert(out_.missed.begin(), out_.missed.end());
        out_.unlisted = out_.unlisted || !run_.folders.is_known;
        for (std::string const& folder : run_.folders.absent)
            add_place(folder);
        for (auto const* const folders : {&run_.folders.quoted, &run_.folders.all})
            for (std::string const& folder : *folders)
                if (!is_own(folder)) add_place(folder);
        find_headers();
        find_assembled();
        find_linked();
        out_.read.assign(read_.begin(), read_.end());
        out_.missed.assign(missed_.begin(), missed_.end());
        return std::move(out_);
    }

private:
    [[nodiscard]] bool is_own(std::string const& path) const
    {
        return path == run_.own || path.starts_with(run_.own + '/');
    }
    [[nodiscard]] std::string absolute(std::string const& path)
    {
        if (path.starts_with('/')) return path;
        out_.folder = here_;
        return here_ + '/' + path;
    }
    /// Notes a place where a file may appear, or a folder may disappear.
    void add_place(std::string const& path)
    {
        if (is_absent(path))
            missed_.insert(path);
        else if (is_folder(path))
            missed_.insert(path + '/');
    }
    /// @return  true if a file is there
    bool look(std::string const& place, bool may_be_precompiled)
    {
        if (may_be_precompiled) add_place(place + ".gch");
        if (std::optional<file_stamp> const found = stamp_of(place)) {
            explained_.insert(found->number);
            // The compiler searched for the file but did not read it, perhaps because of "#pragma
            // once".
            if (!told_.contains(found->number)) read_.insert(place);
            return true;
        }
        add_place(place);
        return false;
    }
    void look_for(included_file const& one, std::string const& folder, bool of_kernel)
    {
        if (one.name.starts_with('/')) return void(look(one.name, of_kernel));
        std::vector<std::string> folders;
        if (one.is_quoted) folders.push_back(folder);
        if (one.is_quoted)
            folders.insert(folders.end(), run_.folders.quoted.begin(), run_.folders.quoted.end());
        folders.insert(folders.end(), run_.folders.all.begin(), run_.folders.all.end());
        for (std::string const& place : folders)
            if (!is_own(place) && look(place + '/' + one.name, of_kernel) && !one.is_next) return;
    }
    void scan(std::string const& text, std::string const& folder, bool of_kernel)
    {
        if (run_.assembles_itself &&
            (text.find("incbin") != text.npos || text.find(".include") != text.npos))
            out_.unlisted = true;
        for (included_file const& one : included_files(text))
            if (!one.name.empty())
                look_for(one, folder, of_kernel);
            else if (of_kernel || !folder.starts_with("/usr/"))
                computes_ = true;
    }
    void find_headers()
    {
        std::vector<std::string> headers;
        for (std::string const& file : files_of_rule(run_.compiler_rule))
            if (std::string path = absolute(file); !is_own(path)) {
                read_.insert(path);
                if (std::optional<file_stamp> const stamp = stamp_of(path))
                    told_.insert(stamp->number);
                headers.push_back(std::move(path));
            }
        scan(kernel_.text, absolute(folder_of(kernel_.path)), true);
        look_for({"stdc-predef.h", false, false}, {}, false);
        for (std::size_t i = 0; i + 1 < run_.flags.size(); ++i)
            if (run_.flags[i] == "-include" || run_.flags[i] == "-imacros")
                look_for({run_.flags[i + 1], true, false}, here_, true);
        for (std::string const& path : headers)
            if (std::optional<std::string> const text = file_text(path))
                scan(*text, folder_of(path), false);
        // If no text names a file, perhaps a macro names it.
        for (std::string const& path : headers) {
            std::optional<file_stamp> const stamp = stamp_of(path);
            if (!stamp || explained_.contains(stamp->number)) continue;
            bool is_found = false;
            for (auto const* const folders : {&run_.folders.quoted, &run_.folders.all})
                for (std::string const& folder : *folders)
                    if (computes_ && path.starts_with(folder + '/')) {
                        is_found = true;
                        look_for({path.substr(folder.size() + 1), true, true},
                                 absolute(folder_of(kernel_.path)), false);
                    }
            std::string const beside = absolute(folder_of(kernel_.path)) + '/';
            out_.unlisted =
                out_.unlisted || (!is_found && !(computes_ && path.starts_with(beside)));
        }
    }
    void find_assembled()
    {
        std::string const kernel = std::filesystem::absolute(kernel_.path).string();
        for (std::string const& file : files_of_rule(run_.assembler_rule)) {
            std::string const path = file.starts_with('/') ? file : here_ + '/' + file;
            if (is_own(path) || path == kernel || !stamp_of(path) || !read_.insert(path).second)
                continue;
            out_.folder = here_;
            std::vector<std::string> folders = run_.folders.all;
            folders.insert(folders.begin(), here_);
            for (std::string const& folder : folders)
                if (path.starts_with(folder + '/'))
                    for (std::string const& other : folders)
                        if (std::string const place = other + '/' + path.substr(folder.size() + 1);
                            is_absent(place))
                            missed_.insert(place);
        }
    }
    void find_linked()
    {
        std::vector<std::string> flags = run_.flags;
        library_flags const wanted = take_library_flags(flags);
        std::set<std::string> tools;
        for (std::string const& file : files_of_rule(run_.linker_rule))
            if (std::string const path = absolute(file); !is_own(path) && stamp_of(path))
                tools.insert(path);
        out_.tools.assign(tools.begin(), tools.end());
        bool const has_folders =
            !wanted.folders.empty() || !environment_variable("LIBRARY_PATH").empty();
        if (wanted.names.empty() && !has_folders) return;
        if (run_.linker_rule.empty()) out_.unlisted = true;
        std::vector<std::string> names = wanted.names;
        names.insert(names.end(), {"stdc++", "m", "gcc_s", "gcc", "c"});
        for (std::string const& place : library_places(wanted.folders, names))
            add_place(std::filesystem::absolute(place).string());
    }

    kernel_source const& kernel_;
    system_run const& run_;
    std::string here_{};
    bool computes_ = false;              ///< an #include has a macro for a name
    std::set<std::int64_t> told_{};      ///< numbers of files that the compiler read
    std::set<std::int64_t> explained_{}; ///< numbers of files that names in a text lead to
    std::set<std::string> read_{};
    std::set<std::string> missed_{};
    cache_inputs out_{};
};

} // namespace attune::inline ATTUNE_ABI::detail
