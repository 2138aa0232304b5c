// attune/search/search_log.ipp - the text form of a search.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/schema.hpp>
#include <attune/search/search_log.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

namespace attune::inline ATTUNE_ABI {

namespace detail {

inline constexpr std::string_view search_log_title = "attune search 1";

/// "3,1,r0x1.8p+0": an index, or r and a real, per parameter.
[[nodiscard]] inline std::string text_of_point(point const& p)
{
    std::string out;
    for (coordinate const& c : p) {
        if (!out.empty()) out += ',';
        if (c.real != 0) out += 'r';
        out += c.real != 0 ? hexadecimal_text(c.real) : std::to_string(c.index);
    }
    return out;
}

/// Without line ends, so that it fits on a line: \n and \\ are written out.
[[nodiscard]] inline std::string escaped(std::string const& text)
{
    std::string out;
    for (char const c : text)
        out += c == '\n' ? "\\n" : c == '\\' ? "\\\\" : c == '\t' ? "\\t" : std::string(1, c);
    return out;
}
[[nodiscard]] inline std::string unescaped(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        bool const marked = text[i] == '\\' && i + 1 < text.size();
        char const c = marked ? text[++i] : text[i];
        out += !marked ? c : c == 'n' ? '\n' : c == 't' ? '\t' : c;
    }
    return out;
}

/// Takes a log apart, line by line and word by word.
class log_reader {
public:
    explicit log_reader(std::string_view text)
        : rest_(text)
    {
    }

    [[nodiscard]] bool next_line()
    {
        if (rest_.empty()) return false;
        std::size_t const end = rest_.find('\n');
        if (end == std::string_view::npos) fail("the line is cut off");
        line_ = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        ++number_;
        return true;
    }
    /// Up to the next space; the rest of the line is left.
    [[nodiscard]] std::string_view word()
    {
        std::size_t const end = std::min(line_.find(' '), line_.size());
        std::string_view const out = line_.substr(0, end);
        line_.remove_prefix(std::min(end + 1, line_.size()));
        return out;
    }
    [[nodiscard]] std::string_view rest() const noexcept { return line_; }
    [[nodiscard]] std::uint64_t whole()
    {
        std::string_view const text = word();
        std::uint64_t value = 0;
        auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (problem != std::errc{} || end != text.data() + text.size()) fail("expected a number");
        return value;
    }
    [[nodiscard]] double real() { return real_in(word()); }
    [[nodiscard]] point place()
    {
        point out;
        std::string_view text = word();
        while (!text.empty()) {
            std::size_t const end = std::min(text.find(','), text.size());
            std::string_view const one = text.substr(0, end);
            text.remove_prefix(std::min(end + 1, text.size()));
            coordinate c;
            if (one.starts_with('r')) {
                c.real = real_in(one.substr(1));
            } else {
                auto const [stop, problem] =
                    std::from_chars(one.data(), one.data() + one.size(), c.index);
                if (problem != std::errc{} || stop != one.data() + one.size())
                    fail("expected a configuration");
            }
            out.push_back(c);
        }
        return out;
    }
    [[noreturn]] void fail(std::string const& what) const
    {
        throw error("a saved search cannot be read: " + what,
                    "line " + std::to_string(number_ + (line_.empty() ? 1 : 0)),
                    "give the text that save() returned, unchanged");
    }

private:
    [[nodiscard]] double real_in(std::string_view text) const
    {
        std::optional<double> const value = real_in_text(text);
        if (!value) fail("expected a number");
        return *value;
    }

    std::string_view rest_;
    std::string_view line_;
    std::size_t number_ = 0;
};

[[nodiscard]] inline outcome read_outcome(log_reader& in, bool worked)
{
    if (worked) {
        measurement m;
        m.value = in.real();
        m.low = in.real();
        m.high = in.real();
        m.samples = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(in.whole(), std::numeric_limits<std::uint32_t>::max()));
        return m;
    }
    std::uint64_t const stage = in.whole();
    if (stage >= failure_stage_count) in.fail("no such stage of failure");
    std::string_view const texts = in.rest();
    std::size_t const tab = std::min(texts.find('\t'), texts.size());
    return failure{static_cast<failure_stage>(stage),
                   unescaped(texts.substr(0, tab)),
                   unescaped(texts.substr(std::min(tab + 1, texts.size())))};
}

} // namespace detail

ATTUNE_INLINE std::string text_of(search_log const& log)
{
    std::string out(detail::search_log_title);
    out += "\nseed " + std::to_string(log.seed) + "\nspace " + log.space + '\n';
    for (search_log::call const& call : log.calls) {
        if (auto const* const q = std::get_if<search_log::question>(&call)) {
            out += "ask " + std::to_string(q->count);
            for (point const& p : q->answered)
                out += ' ' + detail::text_of_point(p);
        } else {
            auto const& a = std::get<search_log::answer>(call);
            auto const* const m = std::get_if<measurement>(&a.result);
            out += a.asked ? "tell " : "observe ";
            out += detail::text_of_point(a.where);
            if (m != nullptr) {
                for (double const v : {m->value, m->low, m->high})
                    out += ' ' + detail::hexadecimal_text(v);
                out += ' ' + std::to_string(m->samples);
            } else {
                failure const& f = std::get<failure>(a.result);
                out += " failed " + std::to_string(static_cast<int>(f.stage)) + ' ' +
                       detail::escaped(f.reason) + '\t' + detail::escaped(f.log);
            }
        }
        out += '\n';
    }
    return out + "end\n";
}

ATTUNE_INLINE search_log parse_search_log(std::string_view text)
{
    detail::log_reader in(text);
    search_log out;
    if (!in.next_line() || in.rest() != detail::search_log_title)
        in.fail("it does not begin with '" + std::string(detail::search_log_title) + "'");
    bool complete = false;
    while (in.next_line()) {
        std::string_view const what = in.word();
        if (what == "seed") {
            out.seed = in.whole();
        } else if (what == "space") {
            out.space = in.word();
        } else if (what == "ask") {
            search_log::question q{static_cast<std::size_t>(in.whole())};
            if (q.count > most_asked_at_once) in.fail("too many configurations were asked for");
            while (!in.rest().empty())
                q.answered.push_back(in.place());
            out.calls.emplace_back(std::move(q));
        } else if (what == "tell" || what == "observe") {
            search_log::answer a{in.place(), {}, what == "tell"};
            bool const failed = in.rest().starts_with("failed ");
            if (failed) (void)in.word();
            a.result = detail::read_outcome(in, !failed);
            out.calls.emplace_back(std::move(a));
        } else if (what == "end") {
            complete = true;
        } else {
            in.fail("no such word: " + std::string(what));
        }
    }
    if (!complete) in.fail("its end is missing");
    return out;
}

ATTUNE_INLINE std::string space_identity(description const& space)
{
    return content_hash{}.add(schema_text(space)).hex();
}

ATTUNE_INLINE void replay(search_log const& log,
                          std::function<std::vector<point>(std::size_t)> const& ask,
                          std::function<void(search_log::answer const&)> const& tell)
{
    for (search_log::call const& call : log.calls) {
        if (auto const* const a = std::get_if<search_log::answer>(&call)) {
            tell(*a);
            continue;
        }
        auto const& q = std::get<search_log::question>(call);
        if (ask(q.count) != q.answered)
            throw error("a saved search cannot be resumed: the searcher answers differently",
                        "seed " + std::to_string(log.seed),
                        "resume with the same searcher, options and version of attune");
    }
}

} // namespace attune::inline ATTUNE_ABI
