// attune/ship/tool/command.hpp - a sub-command of the program attune, its words and its streams.
// SPDX-License-Identifier: MIT
// tested by ship/tool/tool.cpp
#pragma once

#include <attune/core/version.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

/// The streams of the program attune.
struct console {
    std::istream& in;
    std::ostream& out;
    std::ostream& err;
    bool has_colours = false; ///< `out` is a terminal
    bool is_live = false;     ///< `err` is a terminal: long work shows its progress
    /// Returns true if the reader of the pipe `out` has closed its end.
    std::function<bool()> has_no_reader = [] { return false; };
};

enum class colour : std::uint8_t { bold, dim, red, green, yellow };

/// `text` in a colour, if the console has colours.
[[nodiscard]] std::string painted(console const& on, colour as, std::string_view text);

/// A name that is safe for a terminal. Writes as "\x1b" any character that could move the cursor or
/// turn the direction of text, and bytes that are no UTF-8.
[[nodiscard]] std::string printable(std::string_view text);

/// A message of several lines on one line: "tried: a; b".
[[nodiscard]] std::string one_line(std::string_view text);

/// Rows in columns under a head; cells are printable.
struct text_table {
    std::vector<std::string> head{}; ///< '>' before a name marks a column of numbers
    std::vector<std::vector<std::string>> rows{};

    void write(console& to) const;
};

/// Exit code of the program.
enum exit_code : int {
    done = 0,
    answer_is_no = 1, ///< an empty answer, or differences
    wrong_words = 2,
    unusable = 3,      ///< a file or this machine is unusable
    interrupted = 130, ///< by Ctrl-C
};

struct option {
    std::string_view name;  ///< "--kernel"
    std::string_view value; ///< name of its value in the help, "NAME"; empty: it has none
    std::string_view what;  ///< a clause
    char letter = '\0';     ///< "-o" beside "--output"
};

/// A sentence on the words of a command line. The program then ends with wrong_words.
class words_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The words of a command line, sorted.
class words {
public:
    std::vector<std::string> plain{};  ///< without dashes, in order
    std::vector<std::string> behind{}; ///< behind "--"

    [[nodiscard]] bool has(std::string_view option) const { return values_.contains(option); }
    /// The last value of an option.
    [[nodiscard]] std::optional<std::string> value(std::string_view option) const;
    [[nodiscard]] std::vector<std::string> values(std::string_view option) const;
    /// Errors  words_error: it is no whole number
    [[nodiscard]] std::uint64_t number(std::string_view option, std::uint64_t otherwise) const;
    /// Errors  words_error: it is no number, or negative
    [[nodiscard]] double real(std::string_view option, double otherwise) const;

    void add(std::string_view option, std::string value);

private:
    std::map<std::string, std::vector<std::string>, std::less<>> values_{};
};

/// A sub-command. A new one is a row in tool.ipp.
struct command {
    std::string_view name;
    std::string_view usage; ///< "STORE... [options]"
    std::string_view what;  ///< a sentence, for the list
    std::vector<option> options;
    std::string_view more; ///< the rest of its help: examples
    std::size_t least = 0; ///< least number of plain words
    std::size_t most = 0;
    std::function<int(words const&, console&)> run;
    bool takes_program = false; ///< words behind "--"
};

/// Errors  words_error: an unknown word, a missing value, or too many words
[[nodiscard]] words sort_words(command const& of, std::vector<std::string> const& given);

/// The help of a sub-command, with its exit codes.
[[nodiscard]] std::string help_of(command const& of);

/// The word of `known` that the user may have meant; empty if none is near.
[[nodiscard]] std::string nearest_word(std::string_view meant,
                                       std::vector<std::string_view> const& known);

/// "attune: show: the store cannot be read: Permission denied (a.attune)".
[[nodiscard]] std::string sentence_of_exception(std::string_view command);

} // namespace attune::inline ATTUNE_ABI::detail::tool

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/tool/command.ipp>
#endif
