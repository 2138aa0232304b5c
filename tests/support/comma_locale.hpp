// tests/support/comma_locale.hpp : a program whose locale writes 1,5 for one and a half.
// SPDX-License-Identifier: MIT
#pragma once

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <locale>
#include <string>
#include <unistd.h>

namespace attune_test {

/// C's locale is de_DE.UTF-8 while this lives; localedef makes it where the system has none.
class german_locale {
public:
    german_locale()
        : former_(std::setlocale(LC_ALL, nullptr))
    {
        if (!is_set()) make();
        char text[16] = {};
        std::snprintf(text, sizeof text, "%.1f", 1.5);
        if (std::string(text) != "1,5") lacking_ = "no locale de_DE.UTF-8, and none can be made";
    }
    ~german_locale()
    {
        std::setlocale(LC_ALL, former_.c_str());
        std::error_code ignored;
        if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
        if (!folder_.empty()) ::unsetenv("LOCPATH");
    }
    german_locale(german_locale const&) = delete;
    german_locale& operator=(german_locale const&) = delete;

    /// Empty: it is set.
    [[nodiscard]] std::string const& lacking() const noexcept { return lacking_; }

private:
    [[nodiscard]] static bool is_set()
    {
        return std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr ||
               std::setlocale(LC_ALL, "de_DE.utf8") != nullptr;
    }
    void make()
    {
        std::string name = (std::filesystem::temp_directory_path() / "locale-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) return;
        folder_ = name;
        std::string const command =
            "localedef -i de_DE -f UTF-8 " + folder_ + "/de_DE.UTF-8 >/dev/null 2>&1";
        if (std::system(command.c_str()) != 0) return;
        ::setenv("LOCPATH", folder_.c_str(), 1);
        (void)is_set();
    }

    std::string former_;
    std::string folder_{};
    std::string lacking_{};
};

/// C++'s global locale has a comma and groups digits while this lives: 1.234,5.
class comma_streams {
public:
    comma_streams()
        : former_(std::locale::global(std::locale(std::locale::classic(), new commas)))
    {
    }
    ~comma_streams() { std::locale::global(former_); }
    comma_streams(comma_streams const&) = delete;
    comma_streams& operator=(comma_streams const&) = delete;

private:
    struct commas : std::numpunct<char> {
        [[nodiscard]] char do_decimal_point() const override { return ','; }
        [[nodiscard]] char do_thousands_sep() const override { return '.'; }
        [[nodiscard]] std::string do_grouping() const override { return "\3"; }
    };

    std::locale former_;
};

} // namespace attune_test
