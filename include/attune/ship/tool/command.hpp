// attune/ship/tool/command.hpp - a sub-command of the program attune, and the words it is given.
// SPDX-License-Identifier: MIT
// tested by ship/tool/tool.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/ship/tool/console.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// What the program ends with.
enum exit_code : int {
    done = 0,
    answer_is_no = 1, ///< nothing is known, or there are differences
    wrong_words = 2,
    unusable = 3,      ///< a file or this machine is not as it has to be
    interrupted = 130, ///< by Ctrl-C
};

struct option {
    std::string_view name;  ///< "--kernel"
    std::string_view value; ///< what stands for its value in the help, "NAME"; empty: it has none
    std::string_view what;  ///< one clause
    char letter = '\0';     ///< "-o" beside "--output"
};

/// A sentence on the words of a command line; the program then ends with wrong_words.
class words_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The words of a command line, sorted out.
class words {
public:
    std::vector<std::string> plain{};  ///< without dashes, in order
    std::vector<std::string> behind{}; ///< behind "--"

    [[nodiscard]] bool has(std::string_view option) const { return values_.contains(option); }
    /// The last value that was given.
    [[nodiscard]] std::optional<std::string> value(std::string_view option) const;
    /// All of them.
    [[nodiscard]] std::vector<std::string> values(std::string_view option) const;
    /// Errors  words_error: it is no whole number
    [[nodiscard]] std::uint64_t number(std::string_view option, std::uint64_t otherwise) const;
    /// Errors  words_error: it is no number, or negative
    [[nodiscard]] double real(std::string_view option, double otherwise) const;

    void add(std::string_view option, std::string value);

private:
    std::map<std::string, std::vector<std::string>, std::less<>> values_{};
};

/// One sub-command. A new one is a row in tool.ipp.
struct command {
    std::string_view name;
    std::string_view usage; ///< "STORE... [options]"
    std::string_view what;  ///< one sentence, for the list
    std::vector<option> options;
    std::string_view more; ///< the rest of its help: examples
    std::size_t least = 0; ///< plain words
    std::size_t most = 0;
    std::function<int(words const&, console&)> run;
    bool takes_program = false; ///< words behind "--"
};

/// Errors  words_error: what is not known, lacks its value, or is too much
[[nodiscard]] words sort_words(command const& of, std::vector<std::string> const& given);

/// The help of a sub-command, with its exit codes.
[[nodiscard]] std::string help_of(command const& of);

/// The one of `known` that the user may have meant; empty: none is near.
[[nodiscard]] std::string nearest_word(std::string_view meant,
                                       std::vector<std::string_view> const& known);

/// "attune: show: the store cannot be read: Permission denied (a.attune)".
[[nodiscard]] std::string sentence_of_exception(std::string_view command);

} // namespace attune::inline ATTUNE_ABI::detail::tool

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/tool/command.ipp>
#endif
