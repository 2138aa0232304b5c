// bench/support/arguments.hpp - the words of a command line, and what main() returns.
// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <variant>
#include <vector>

namespace bench {

/// Where the value of an argument goes. One for a bool is a flag: it has no value, naming it sets
/// it. One for words takes all that have no dashes, from its place on.
using argument_target = std::variant<std::string*, bool*, std::size_t*, std::uint32_t*, int*,
                                     std::vector<std::string>*>;

struct argument {
    std::string name; ///< "--seed"; without the dashes: given by its place, in the order of these
    argument_target target;
    std::size_t least = 0; ///< of a number
};

namespace detail {

[[nodiscard]] inline bool has_dashes(std::string const& word) { return word.starts_with("--"); }

[[nodiscard]] inline bool is_flag(argument const& a)
{
    return std::holds_alternative<bool*>(a.target);
}

[[nodiscard]] inline bool is_list(argument const& a)
{
    return std::holds_alternative<std::vector<std::string>*>(a.target);
}

/// "it takes --kernels TEXT, --seed NUMBER, --table".
[[nodiscard]] inline std::string all_of(std::vector<argument> const& known)
{
    if (known.empty()) return "it takes none";
    std::string text;
    for (argument const& a : known) {
        text += text.empty() ? "it takes " : ", ";
        text += a.name;
        if (is_list(a)) text += "...";
        if (!has_dashes(a.name) || is_flag(a)) continue;
        text += std::holds_alternative<std::string*>(a.target) ? " TEXT" : " NUMBER";
    }
    return text;
}

template <class Number>
void read_number(argument const& a, std::string const& value, Number& out)
{
    char const* const end = value.data() + value.size();
    std::size_t number = 0;
    auto const [stopped, problem] = std::from_chars(value.data(), end, number);
    bool const is_too_large = problem == std::errc::result_out_of_range ||
                              number > std::size_t{std::numeric_limits<Number>::max()};
    if (problem == std::errc::invalid_argument || stopped != end ||
        (!is_too_large && number < a.least))
        throw std::runtime_error(a.name + " takes a whole number of at least " +
                                 std::to_string(a.least) + ", not '" + value + "'");
    if (is_too_large)
        throw std::runtime_error(a.name + " takes at most " +
                                 std::to_string(std::numeric_limits<Number>::max()) + ", not '" +
                                 value + "'");
    out = static_cast<Number>(number);
}

} // namespace detail

/// What is not given keeps its value.
/// Errors  std::runtime_error naming an argument that is not known, has no value, is no number or
///         is less than it may be
inline void read_arguments(int count, char** text, std::vector<argument> const& known)
{
    std::size_t place = 0; // where to look for the next argument without dashes
    for (int i = 1; i < count; ++i) {
        std::string word = text[i];
        argument const* found = nullptr;
        if (detail::has_dashes(word)) {
            for (argument const& a : known)
                if (a.name == word) found = &a;
        } else {
            while (place < known.size() && detail::has_dashes(known[place].name))
                ++place;
            if (place < known.size()) found = &known[place];
            if (found != nullptr && !detail::is_list(*found)) ++place;
        }
        if (found == nullptr)
            throw std::runtime_error(word + ": no such argument; " + detail::all_of(known));
        if (bool* const* const flag = std::get_if<bool*>(&found->target)) {
            **flag = true;
            continue;
        }
        if (detail::has_dashes(word)) {
            if (++i == count) throw std::runtime_error(word + " needs a value");
            word = text[i];
        }
        std::visit(
            [&](auto* to) {
                using value = std::remove_pointer_t<decltype(to)>;
                if constexpr (std::is_same_v<value, std::string>)
                    *to = word;
                else if constexpr (std::is_same_v<value, std::vector<std::string>>)
                    to->push_back(word);
                else if constexpr (!std::is_same_v<value, bool>)
                    detail::read_number(*found, word, *to);
            },
            found->target);
    }
}

/// For main(): what `program` returns; when it throws, 2, after the reason went to stderr.
template <class Program>
[[nodiscard]] int exit_code_of(char const* name, Program const& program)
{
    try {
        return program();
    } catch (std::exception const& why) {
        std::fflush(stdout);
        std::fprintf(stderr, "%s: %s\n", name, why.what());
        return 2;
    }
}

} // namespace bench
