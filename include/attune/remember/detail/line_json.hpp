// attune/remember/detail/line_json.hpp - reads a line of JSON in the form that attune writes, in place.
// SPDX-License-Identifier: MIT
// Source   RFC 8259, a part of it
// tested by remember/line_json.cpp
//
// A document of nlohmann for a winner of 600 bytes takes a hundred allocations. Here names and
// texts stay in the line.
#pragma once

#include <attune/core/version.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

enum class line_json_kind : std::uint8_t { null, truth, count, integer, real, text, array, object };

struct line_json_node {
    std::string_view name{};  ///< name of an object's member
    std::string_view text{};  ///< text, without its quotes
    std::uint64_t count = 0;  ///< count; 1 for true
    std::int64_t integer = 0; ///< value of a negative integer
    double real = 0;
    std::uint32_t next = 0; ///< the node after this one and its contents
    line_json_kind kind = line_json_kind::null;
};

/// A value, with the function names of nlohmann::json. Valid as long as its line_json and its line.
class line_value {
public:
    line_value(std::vector<line_json_node> const& all, std::uint32_t at) noexcept
        : all_(&all)
        , at_(at)
    {
    }

    [[nodiscard]] bool is_boolean() const noexcept { return kind() == line_json_kind::truth; }
    [[nodiscard]] bool is_string() const noexcept { return kind() == line_json_kind::text; }
    [[nodiscard]] bool is_array() const noexcept { return kind() == line_json_kind::array; }
    [[nodiscard]] bool is_object() const noexcept { return kind() == line_json_kind::object; }
    [[nodiscard]] bool is_number_unsigned() const noexcept
    {
        return kind() == line_json_kind::count;
    }
    [[nodiscard]] bool is_number_integer() const noexcept
    {
        return is_number_unsigned() || kind() == line_json_kind::integer;
    }
    [[nodiscard]] bool is_number() const noexcept
    {
        return is_number_integer() || kind() == line_json_kind::real;
    }

    /// @pre  the value is of the kind T; double accepts a number of any kind
    template <class T>
    [[nodiscard]] T get() const
    {
        if constexpr (std::is_same_v<T, std::string>)
            return std::string(node().text);
        else if constexpr (std::is_same_v<T, bool>)
            return node().count != 0;
        else if (kind() == line_json_kind::count)
            return static_cast<T>(node().count);
        else if (kind() == line_json_kind::integer)
            return static_cast<T>(node().integer);
        else
            return static_cast<T>(node().real);
    }

    /// The elements of an array or the values of an object, in order.
    class iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = line_value;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = line_value;

        iterator(std::vector<line_json_node> const& all, std::uint32_t at) noexcept
            : all_(&all)
            , at_(at)
        {
        }
        [[nodiscard]] line_value operator*() const noexcept { return {*all_, at_}; }
        iterator& operator++() noexcept
        {
            at_ = (*all_)[at_].next;
            return *this;
        }
        [[nodiscard]] friend bool operator==(iterator const&, iterator const&) = default;

    private:
        std::vector<line_json_node> const* all_;
        std::uint32_t at_;
    };
    [[nodiscard]] iterator begin() const noexcept { return {*all_, at_ + 1}; }
    [[nodiscard]] iterator end() const noexcept { return {*all_, node().next}; }
    [[nodiscard]] std::size_t size() const noexcept
    {
        return static_cast<std::size_t>(std::distance(begin(), end()));
    }
    /// @pre  i < size()
    [[nodiscard]] line_value operator[](std::size_t i) const noexcept
    {
        return *std::next(begin(), static_cast<std::ptrdiff_t>(i));
    }

    /// Name of an object's member.
    [[nodiscard]] std::string_view name() const noexcept { return node().name; }
    /// The member of this name, if this is an object that has it.
    [[nodiscard]] std::optional<line_value> member(std::string_view name) const noexcept
    {
        if (!is_object()) return {};
        for (line_value const one : *this)
            if (one.name() == name) return one;
        return {};
    }

private:
    [[nodiscard]] line_json_node const& node() const noexcept { return (*all_)[at_]; }
    [[nodiscard]] line_json_kind kind() const noexcept { return node().kind; }

    std::vector<line_json_node> const* all_;
    std::uint32_t at_;
};

/// A line of JSON without blanks, whose texts have neither escapes nor bytes beyond ASCII: nearly
/// all lines that attune writes. The reader accepts valid JSON only, and gives the values of
/// nlohmann::json. The caller reads other lines by nlohmann::json.
class line_json {
public:
    /// @param line  outlives the result
    /// @return  empty: the line is not of this form
    /// Cost   1 ns a byte
    [[nodiscard]] static std::optional<line_json> read(std::string_view line)
    {
        line_json out;
        out.nodes_.reserve(64);
        out.rest_ = line;
        if (line.size() >= std::numeric_limits<std::uint32_t>::max() || !out.take_value({}, 0) ||
            !out.rest_.empty())
            return {};
        return out;
    }
    [[nodiscard]] line_value root() const noexcept { return {nodes_, 0}; }

private:
    static constexpr int deepest = 8;

    line_json() = default;

    [[nodiscard]] bool skip(char wanted) noexcept
    {
        if (rest_.empty() || rest_.front() != wanted) return false;
        rest_.remove_prefix(1);
        return true;
    }

    [[nodiscard]] bool take_value(std::string_view name, int depth)
    {
        if (rest_.empty() || depth > deepest) return false;
        std::size_t const mine = nodes_.size();
        nodes_.push_back({.name = name});
        if (!take_content(mine, depth)) return false;
        nodes_[mine].next = static_cast<std::uint32_t>(nodes_.size());
        return true;
    }

    [[nodiscard]] bool take_content(std::size_t mine, int depth)
    {
        switch (rest_.front()) {
        case '{':
            nodes_[mine].kind = line_json_kind::object;
            return take_members(mine, depth);
        case '[':
            nodes_[mine].kind = line_json_kind::array;
            return take_elements(depth);
        case '"':
            nodes_[mine].kind = line_json_kind::text;
            return take_text(nodes_[mine].text);
        case 't':
            nodes_[mine].kind = line_json_kind::truth;
            nodes_[mine].count = 1;
            return take_word("true");
        case 'f':
            nodes_[mine].kind = line_json_kind::truth;
            return take_word("false");
        case 'n':
            return take_word("null");
        default:
            return take_number(nodes_[mine]);
        }
    }

    [[nodiscard]] bool take_members(std::size_t mine, int depth)
    {
        rest_.remove_prefix(1);
        if (skip('}')) return true;
        do {
            std::string_view name;
            if (!take_text(name) || !skip(':')) return false;
            // nlohmann takes the last of two members of the same name.
            for (std::size_t at = mine + 1; at < nodes_.size(); at = nodes_[at].next)
                if (nodes_[at].name == name) return false;
            if (!take_value(name, depth + 1)) return false;
        } while (skip(','));
        return skip('}');
    }
    [[nodiscard]] bool take_elements(int depth)
    {
        rest_.remove_prefix(1);
        if (skip(']')) return true;
        do
            if (!take_value({}, depth + 1)) return false;
        while (skip(','));
        return skip(']');
    }

    [[nodiscard]] bool take_text(std::string_view& out) noexcept
    {
        if (!skip('"')) return false;
        std::size_t length = 0;
        for (; length < rest_.size(); ++length) {
            auto const c = static_cast<unsigned char>(rest_[length]);
            if (c == '"') break;
            if (c < 0x20 || c >= 0x80 || c == '\\') return false;
        }
        out = rest_.substr(0, length);
        rest_.remove_prefix(length);
        return skip('"');
    }
    [[nodiscard]] bool take_word(std::string_view word) noexcept
    {
        if (!rest_.starts_with(word)) return false;
        rest_.remove_prefix(word.size());
        return true;
    }

    /// @return  the number of digits at `from`
    [[nodiscard]] std::size_t digits_at(std::size_t from) const noexcept
    {
        std::size_t at = from;
        while (at < rest_.size() && rest_[at] >= '0' && rest_[at] <= '9')
            ++at;
        return at - from;
    }
    [[nodiscard]] char at(std::size_t i) const noexcept { return i < rest_.size() ? rest_[i] : 0; }

    [[nodiscard]] bool take_number(line_json_node& to) noexcept
    {
        bool const is_negative = at(0) == '-';
        std::size_t const first = is_negative ? 1 : 0;
        std::size_t const whole = digits_at(first);
        if (whole == 0 || (whole > 1 && at(first) == '0')) return false;
        std::size_t length = first + whole;
        bool is_real = false;
        if (at(length) == '.') {
            std::size_t const part = digits_at(length + 1);
            if (part == 0) return false;
            length += 1 + part;
            is_real = true;
        }
        if (at(length) == 'e' || at(length) == 'E') {
            std::size_t const sign = at(length + 1) == '+' || at(length + 1) == '-' ? 1 : 0;
            std::size_t const part = digits_at(length + 1 + sign);
            if (part == 0) return false;
            length += 1 + sign + part;
            is_real = true;
        }
        to.kind = is_real       ? line_json_kind::real
                  : is_negative ? line_json_kind::integer
                                : line_json_kind::count;
        bool const is_read = is_real       ? convert(length, to.real)
                             : is_negative ? convert(length, to.integer)
                                           : convert(length, to.count);
        rest_.remove_prefix(length);
        return is_read;
    }
    /// Returns false if the value does not fit: nlohmann reads a large integer as a double.
    template <class T>
    [[nodiscard]] bool convert(std::size_t length, T& to) const noexcept
    {
        char const* const end = rest_.data() + length;
        auto const [stop, problem] = std::from_chars(rest_.data(), end, to);
        return problem == std::errc{} && stop == end;
    }

    std::string_view rest_{}; ///< rest of the line during the reading
    std::vector<line_json_node> nodes_{};
};

} // namespace attune::inline ATTUNE_ABI::detail
