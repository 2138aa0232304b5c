// tests/support/set_variable.hpp : an environment variable with a value while this lives.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <string>

namespace attune_test {

class set_variable {
public:
    set_variable(char const* name, std::string const& value)
        : name_(name)
    {
        if (char const* const before = std::getenv(name)) {
            before_ = before;
            was_set_ = true;
        }
        ::setenv(name, value.c_str(), 1);
    }
    ~set_variable()
    {
        if (was_set_)
            ::setenv(name_, before_.c_str(), 1);
        else
            ::unsetenv(name_);
    }
    set_variable(set_variable const&) = delete;
    set_variable& operator=(set_variable const&) = delete;

private:
    char const* name_;
    std::string before_{};
    bool was_set_ = false;
};

/// The text of the exception that `act` throws; empty when it throws none.
template <class Exception, class Act>
[[nodiscard]] std::string text_thrown_by(Act const& act)
{
    try {
        act();
    } catch (Exception const& thrown) {
        return thrown.what();
    }
    return {};
}

[[nodiscard]] inline bool contains(std::string const& text, char const* part)
{
    return text.find(part) != std::string::npos;
}

} // namespace attune_test
