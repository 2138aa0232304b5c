// attune/ship/report/detail/markup.hpp - text as HTML, and drawings of lines, texts and axes as SVG.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/shown_text.hpp>
#include <attune/core/version.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The text for an element, or for an attribute between double quotes.
[[nodiscard]] inline std::string html_text(std::string_view text)
{
    std::string out;
    for_each_shown(text, [&](std::string_view bytes) {
        switch (bytes[0]) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            out += bytes;
        }
    });
    return out;
}

/// The text as a JSON string for a script element.
[[nodiscard]] inline std::string json_text(std::string_view text)
{
    std::string out = "\"";
    for_each_shown(text, [&](std::string_view bytes) {
        auto const c = static_cast<unsigned char>(bytes[0]);
        if (bytes.size() > 1 ||
            (c >= 0x20 && std::string_view("\"\\<>&").find(bytes[0]) == std::string_view::npos)) {
            out += bytes;
            return;
        }
        out += "\\u00";
        out += "0123456789abcdef"[c >> 4];
        out += "0123456789abcdef"[c & 15u];
    });
    return out + '"';
}

/// The shortest text of exactly this number; null if it is not finite.
inline void append_exact(std::string& to, double value)
{
    if (!std::isfinite(value)) {
        to += "null";
        return;
    }
    char digits[32];
    auto const end = std::to_chars(digits, digits + sizeof digits, value);
    to.append(digits, end.ptr);
}

/// A coordinate, rounded to a tenth.
inline void append_place(std::string& to, double value)
{
    auto const tenths = std::llround(value * 10);
    if (tenths < 0) to += '-';
    std::uint64_t const size = static_cast<std::uint64_t>(tenths < 0 ? -tenths : tenths);
    to += std::to_string(size / 10);
    if (size % 10 != 0) {
        to += '.';
        to += static_cast<char>('0' + size % 10);
    }
}

/// The width of a text at most: fonts of screens take 0.53 to 0.6 of their size for a character on
/// average, and all of it for an ideograph.
/// @param font_px  size of the font: 13, or 11.5 of the style "small"
[[nodiscard]] inline double text_width(std::string_view words, double font_px)
{
    double out = 0;
    for_each_shown(words, [&](std::string_view bytes) { out += bytes.size() > 2 ? 1 : 0.62; });
    return out * font_px;
}
inline constexpr double label_px = 13, small_px = 11.5;
inline constexpr double bold_px = 15; ///< a bold text of 13 is as wide as a plain one of 15

/// Characters for which there is room, at least two.
[[nodiscard]] inline std::size_t most_characters(double room, double font_px)
{
    return static_cast<std::size_t>(std::fmax(3, room / (0.62 * font_px))) - 1;
}

/// One drawing; its styles are classes, so that both colour schemes share it.
class drawing {
public:
    /// @param shape  "wide", "narrow" or nothing: the screens that show it
    /// @param says   text for readers who cannot see it
    drawing(double width, double height, std::string_view shape, std::string_view says)
    {
        svg_ = "<svg viewBox=\"0 0 ";
        append_place(svg_, width);
        svg_ += ' ';
        append_place(svg_, height);
        svg_ += "\" class=\"";
        svg_ += shape;
        svg_ += "\" style=\"--w:";
        append_place(svg_, width);
        svg_ += "px\" role=\"img\" aria-label=\"" + html_text(says) + "\">\n";
    }

    void line(double x1, double y1, double x2, double y2, std::string_view style)
    {
        path("M" + place(x1, y1) + "L" + place(x2, y2), style);
    }
    /// @param d  path with places from place(): "M1 2L3 4"
    void path(std::string const& d, std::string_view style)
    {
        svg_ += "<path class=\"" + std::string(style) + "\" d=\"" + d + "\"/>\n";
    }
    void box(double x, double y, double width, double height, std::string_view style)
    {
        svg_ += "<rect class=\"" + std::string(style) + '"';
        attribute("x", x);
        attribute("y", y);
        attribute("width", std::fmax(0, width));
        attribute("height", height);
        svg_ += "/>\n";
    }
    void dot(double x, double y, double radius, std::string_view style)
    {
        svg_ += "<circle class=\"" + std::string(style) + '"';
        attribute("cx", x);
        attribute("cy", y);
        attribute("r", radius);
        svg_ += "/>\n";
    }
    /// @param style  its words "start", "middle" or "end" set the anchor of the text
    void text(double x, double y, std::string_view style, std::string_view words)
    {
        svg_ += "<text class=\"" + std::string(style) + '"';
        attribute("x", x);
        attribute("y", y);
        svg_ += '>' + html_text(words) + "</text>\n";
    }
    /// A text of at most `most` characters; the pointer shows all of it.
    void text(double x, double y, std::string_view style, std::string_view words, std::size_t most)
    {
        std::string const cut = shortened(words, most);
        if (cut == words) return text(x, y, style, words);
        svg_ += "<text class=\"" + std::string(style) + '"';
        attribute("x", x);
        attribute("y", y);
        svg_ += "><title>" + html_text(words) + "</title>" + html_text(cut) + "</text>\n";
    }

    [[nodiscard]] std::string end() && { return std::move(svg_) + "</svg>\n"; }

    [[nodiscard]] static std::string place(double x, double y)
    {
        std::string out;
        append_place(out, x);
        out += ' ';
        append_place(out, y);
        return out;
    }

private:
    void attribute(std::string_view name, double value)
    {
        svg_ += ' ';
        svg_ += name;
        svg_ += "=\"";
        append_place(svg_, value);
        svg_ += '"';
    }

    std::string svg_;
};

/// Times or rates along a line, by their logarithm; values that may be 0 or less, as they are.
struct log_axis {
    double low = 1, high = 2;
    double from = 0, to = 1; ///< places of both ends
    bool is_even = false;    ///< without the logarithm

    /// An axis over these values, with a margin on both sides. The ends are finite for any values.
    [[nodiscard]] static log_axis over(double low, double high, double from, double to)
    {
        constexpr double least = 1e-270, most = 1e270;
        if (low <= 0) {
            if (low == 0 && high <= 0) high = 1;
            low = std::fmax(-most, low);
            high = std::fmax(low + std::fmax(0.02 * std::fabs(low), least), std::fmin(high, most));
            double const beyond = 0.04 * (high - low);
            return {low - beyond, high + beyond, from, to, true};
        }
        low = std::fmax(least, std::fmin(low, most));
        high = std::fmax(1.02 * low, std::fmin(high, most));
        double const margin = std::exp(0.04 * (std::log(high) - std::log(low)));
        return {low / margin, high * margin, from, to};
    }
    [[nodiscard]] double at(double value) const
    {
        double const share =
            is_even ? (value - low) / (high - low)
                    : (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
        return from + std::clamp(share, 0.0, 1.0) * (to - from);
    }
    /// Round values on the axis.
    /// @param most  largest number of them, at least 2
    [[nodiscard]] std::vector<double> ticks(std::size_t most) const
    {
        std::vector<double> out;
        // 1, 2, 5, 10, ...; only powers of ten if these are too many.
        for (std::vector<int> const& steps : {std::vector{1, 2, 5}, std::vector{1}}) {
            out.clear();
            if (is_even) break;
            for (int e = static_cast<int>(std::floor(std::log10(low))); std::pow(10, e) <= high;
                 ++e)
                for (int const step : steps) {
                    double const tick = step * std::pow(10, e);
                    if (tick >= low && tick <= high) out.push_back(tick);
                }
            if (out.size() <= most) break;
        }
        while (out.size() > most)
            for (std::size_t i = 1; i < out.size(); ++i)
                out.erase(out.begin() + static_cast<std::ptrdiff_t>(i));
        if (out.size() >= 3) return out;
        // A short axis: equal steps.
        std::vector<double> even;
        double const rough = (high - low) / static_cast<double>(most);
        double step = std::pow(10, std::floor(std::log10(rough)));
        for (double const factor : {2.0, 2.5, 2.0}) // 1, 2, 5, 10
            if (step < rough) step *= factor;
        for (double n = std::ceil(low / step); n * step <= high && even.size() <= most; ++n)
            even.push_back(n * step + 0.0); // no -0
        return even.size() > out.size() ? even : out;
    }
};

} // namespace attune::inline ATTUNE_ABI::detail
