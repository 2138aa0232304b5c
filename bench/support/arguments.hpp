// bench/support/arguments.hpp - "--name value" pairs of a command line.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace bench {

/// Where the value of an argument goes.
using argument_target = std::variant<std::string*, std::size_t*>;

/// Errors  std::runtime_error naming an argument that is not known, has no value or is no number
inline void read_arguments(int count,
                           char** text,
                           std::vector<std::pair<std::string, argument_target>> const& known)
{
    for (int i = 1; i < count; i += 2) {
        std::string const name = text[i];
        argument_target const* target = nullptr;
        for (auto const& [known_name, place] : known)
            if (name == known_name) target = &place;
        if (target == nullptr) throw std::runtime_error(name + ": no such argument");
        if (i + 1 == count) throw std::runtime_error(name + " needs a value");
        std::string const value = text[i + 1];
        if (auto* const* to = std::get_if<std::string*>(target))
            **to = value;
        else if (value.empty() || value.find_first_not_of("0123456789") != std::string::npos)
            throw std::runtime_error(name + " takes a whole number, not '" + value + "'");
        else
            *std::get<std::size_t*>(*target) = std::stoull(value);
    }
}

} // namespace bench
