// tests/support/changing_files.hpp - a kernel whose files, folders, links and variables change at random.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/source/signature.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/core/random.hpp>

#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <variant>

namespace attune_test {

/// Two projects with the same names of files, in one of which the process is. Their kernel returns
/// a number that each of its files changes. The process's folder and variables are those of one
/// object: not for several threads.
class changing_files {
public:
    explicit changing_files(std::uint64_t seed)
        : random_(seed)
        , before_(std::filesystem::current_path())
    {
        for (std::string const project : {"a", "b"}) {
            for (std::string const folder : {"early", "late", "v1", "v2", "of_variable"})
                std::filesystem::create_directories(at(project) + '/' + folder);
            for (std::string const file :
                 {"first.hpp", "late/second.hpp", "late/third.hpp", "v1/fourth.hpp",
                  "v2/fourth.hpp", "of_variable/fifth.hpp", "v2/fifth.hpp"})
                write(project + '/' + file, define(file));
            write(project + "/table.bin", digit());
            write(project + "/flags.rsp", "-DFLAG=" + digit());
            std::filesystem::create_directory_symlink("v1", at(project) + "/current");
        }
        enter("a");
    }
    ~changing_files()
    {
        ::unsetenv("CPLUS_INCLUDE_PATH");
        std::error_code no_throw;
        std::filesystem::current_path(before_, no_throw);
    }
    changing_files(changing_files const&) = delete;
    changing_files& operator=(changing_files const&) = delete;

    /// The kernel of the project in which the process is.
    /// @param is_relative  its folders and its own path
    [[nodiscard]] attune::kernel_source kernel(bool is_relative) const
    {
        std::string const top = is_relative ? "" : at(project_) + '/';
        attune::kernel_source out = attune::source_text(
            "#include \"first.hpp\"\n#include <second.hpp>\n#include <third.hpp>\n"
            "#include \"current/fourth.hpp\"\n"
            "#if __has_include(<fifth.hpp>)\n#include <fifth.hpp>\n#else\n#define FIFTH 0\n#endif\n"
            "#if __has_include(\"maybe.hpp\")\n#include \"maybe.hpp\"\n#else\n#define MAYBE "
            "0\n#endif\n"
            "asm(\".pushsection .rodata\\ntable_of_bytes: .incbin "
            "\\\"table.bin\\\"\\n.popsection\");\n"
            "extern \"C\" __attribute__((visibility(\"hidden\"))) unsigned char const "
            "table_of_bytes[];\n"
            "long f() { return MORE + 10L * (FIRST + 10L * (SECOND + 10L * (THIRD + 10L * (FOURTH "
            "+ 10L"
            " * (FIFTH + 10L * (MAYBE + 10L * (FLAG + 10L * (table_of_bytes[0] - '0')))))))); }\n",
            top + "k.cpp");
        out.include_dirs = {top + "early", top + "late"};
        out.flags = {"@" + top + "flags.rsp"};
        return out;
    }
    [[nodiscard]] attune::compile_request variant()
    {
        attune::compile_request v = attune::variant_of<long()>("f");
        v.macros = {{"MORE", std::to_string(below(3))}};
        return v;
    }

    /// Changes one thing.  @return  what it was
    std::string change()
    {
        constexpr std::size_t kinds = 13;
        std::string const p = project_ + '/';
        switch (below(kinds)) {
        case 0:
            return rewrite(p + "first.hpp", define("first.hpp"));
        case 1:
            return rewrite(p + "late/second.hpp", define("second.hpp"));
        case 2:
            return toggle(p + "early/second.hpp", define("second.hpp"));
        case 3:
            return toggle(p + "maybe.hpp", define("maybe.hpp"));
        case 4:
            return toggle_folder(p + "early/third.hpp");
        case 5:
            return rewrite(p + "current/fourth.hpp", define("fourth.hpp"));
        case 6:
            return retarget(p + "current");
        case 7:
            return rewrite(p + "of_variable/fifth.hpp", define("fifth.hpp"));
        case 8: {
            bool const is_set = std::getenv("CPLUS_INCLUDE_PATH") != nullptr;
            if (is_set)
                ::unsetenv("CPLUS_INCLUDE_PATH");
            else
                ::setenv("CPLUS_INCLUDE_PATH", below(2) == 0 ? "of_variable" : "v2", 1);
            return "CPLUS_INCLUDE_PATH";
        }
        case 9:
            return rewrite(p + "flags.rsp", "-DFLAG=" + digit());
        case 10:
            return rewrite(p + "table.bin", digit());
        case 11:
            return rename(p + "early");
        default:
            enter(project_ == "a" ? "b" : "a");
            return "the folder";
        }
    }
    [[nodiscard]] std::uint64_t below(std::uint64_t n) { return attune::uniform_below(random_, n); }

private:
    [[nodiscard]] std::string at(std::string const& name) const
    {
        return scratch_.path() + '/' + name;
    }
    [[nodiscard]] std::string digit() { return std::to_string(1 + below(9)); }
    /// "#define FIRST 3" of "late/first.hpp".
    [[nodiscard]] std::string define(std::string const& file)
    {
        std::string name = std::filesystem::path(file).stem().string();
        for (char& c : name)
            c = static_cast<char>(c - 'a' + 'A');
        return "#undef " + name + "\n#define " + name + ' ' + digit() + '\n';
    }
    void enter(std::string const& project)
    {
        project_ = project;
        std::filesystem::current_path(at(project));
    }
    void write(std::string const& name, std::string const& text) const
    {
        std::ofstream(at(name), std::ios::binary) << text;
    }
    /// Another text of the same size; half of the times with the old time of change, and half of
    /// the times as another file.
    std::string rewrite(std::string const& name, std::string const& text)
    {
        struct ::stat before{};
        if (::stat(at(name).c_str(), &before) != 0) return "nothing";
        std::string const way = below(2) == 0 ? name : name + ".new";
        write(way, text);
        if (below(2) == 0) {
            timespec const times[] = {before.st_atim, before.st_mtim};
            (void)::utimensat(AT_FDCWD, at(way).c_str(), times, 0);
        }
        if (way != name) std::filesystem::rename(at(way), at(name));
        return name;
    }
    std::string toggle(std::string const& name, std::string const& text)
    {
        std::error_code no_throw;
        if (!std::filesystem::remove(at(name), no_throw)) write(name, text);
        return name + " appears or goes";
    }
    /// A folder in place of a header, or the header in its place.
    std::string toggle_folder(std::string const& name)
    {
        std::error_code no_throw;
        bool const was_folder = std::filesystem::is_directory(at(name), no_throw);
        std::filesystem::remove(at(name), no_throw);
        if (was_folder)
            write(name, define(name));
        else
            std::filesystem::create_directory(at(name), no_throw);
        return name + ", a folder or a file";
    }
    std::string retarget(std::string const& name)
    {
        std::string const to =
            std::filesystem::read_symlink(at(name)).string() == "v1" ? "v2" : "v1";
        std::filesystem::remove(at(name));
        std::filesystem::create_directory_symlink(to, at(name));
        return name + " leads elsewhere";
    }
    std::string rename(std::string const& name)
    {
        std::error_code failed;
        std::filesystem::rename(at(name), at(name) + "_away", failed);
        if (failed) std::filesystem::rename(at(name) + "_away", at(name), failed);
        return name + " is renamed";
    }

    attune::random_engine random_;
    std::filesystem::path before_;
    attune::detail::temporary_folder scratch_{};
    std::string project_{};
};

/// What the compiled kernel returns; -1 where it does not compile.
[[nodiscard]] inline long value_of(attune::compile_result const& result)
{
    auto const* const code = std::get_if<attune::callable>(&result);
    return code == nullptr ? -1 : code->as<long()>()();
}

} // namespace attune_test
