// attune/tune/progress.ipp - progress as text.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/detail/quiet_writes.hpp>
#include <attune/core/posix/fork_gate.hpp>
#include <attune/core/shown_text.hpp>
#include <attune/core/version.hpp>
#include <attune/tune/progress.hpp>

#include <cmath>
#include <cstdio>
#include <memory>
#include <mutex>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace attune::inline ATTUNE_ABI {

ATTUNE_INLINE std::string describe(failure_counts const& counts)
{
    std::string out;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] == 0) continue;
        if (!out.empty()) out += ", ";
        out += std::to_string(counts[i]) + ' ';
        out += describe(static_cast<failure_stage>(i));
    }
    return out;
}

namespace detail {

/// "12/60 and 3 pruned, best 1.25 ms (3.1x faster than the default), 2 crashed, 41 s left"
[[nodiscard]] inline std::string progress_text(progress const& p)
{
    std::string out = std::to_string(p.evaluation);
    if (p.evaluations > 0) out += '/' + std::to_string(p.evaluations);
    if (p.pruned > 0) out += " and " + std::to_string(p.pruned) + " pruned";
    if (p.has_best) {
        problem_objective const& of = p.objective;
        out += ", best " + of.text(p.best_value);
        double const gain = of.gain(p.best_value, p.default_value);
        double const over_own = of.gain(p.best_value, p.baseline_value);
        if (gain > 1 && over_own > 1)
            out += formatted(" (%.2fx ", over_own) + of.better() +
                   formatted(" than your own, %.2fx than the default)", gain);
        else if (gain > 1)
            out += formatted(" (%.2fx ", gain) + of.better() + " than the default)";
    } else
        out += ", nothing works yet";
    std::string const failures = describe(p.failures);
    if (!failures.empty()) out += ", " + failures;
    if (std::isfinite(p.left_s)) out += formatted(", %.0f s left", std::fmax(0.0, p.left_s));
    return out;
}

/// Selects the events that get a line.
struct line_writer {
    std::function<void(std::string const&)> write;
    double last_line_s = 0;

    void operator()(progress const& p)
    {
        std::string const head = "attune: " + p.name + ": ";
        switch (p.event) {
        case progress_event::started:
            write(head + "tuning, " + p.text);
            break;
        case progress_event::notice:
            write(head + p.text);
            break;
        case progress_event::finished:
            write(head + p.text);
            break;
        case progress_event::finals:
            return;
        case progress_event::evaluated:
            if (!p.improved && p.elapsed_s - last_line_s < 2.0) return;
            write(head + progress_text(p) + (p.improved ? ", " + p.text : ""));
            break;
        }
        last_line_s = p.elapsed_s;
    }
};

/// Keeps one line of a terminal up to date; permanent lines are written above it.
struct live_line {
    std::size_t shown = 0;

    void operator()(progress const& p)
    {
        std::string const head = "attune: " + p.name + ": ";
        switch (p.event) {
        case progress_event::started:
            show(head + "tuning, " + p.text);
            break;
        case progress_event::evaluated:
            show(head + progress_text(p));
            break;
        case progress_event::finals:
            show(head + progress_text(p) + ", comparing with the default");
            break;
        case progress_event::notice:
        case progress_event::finished:
            keep(head + p.text);
            break;
        }
    }

private:
    /// The width of the terminal, because a wrapped line cannot be overwritten.
    [[nodiscard]] static std::size_t columns()
    {
        winsize size{};
        bool const known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
        return known ? size.ws_col - 1U : 79U;
    }
    void show(std::string text)
    {
        text = shown_text(text);
        if (text.size() > columns()) text.resize(columns());
        write(std::move(text));
    }
    void write(std::string text)
    {
        std::size_t const width = text.size();
        if (width < shown) text.append(shown - width, ' ');
        shown = width;
        quiet_writes const quiet;
        std::fprintf(stderr, "\r%s", text.c_str());
        std::fflush(stderr);
    }
    void keep(std::string const& text)
    {
        write(shown_text(text));
        quiet_writes const quiet;
        std::fputc('\n', stderr);
        shown = 0;
    }
};

} // namespace detail

ATTUNE_INLINE progress_sink line_progress(std::function<void(std::string const&)> write)
{
    auto const state =
        std::make_shared<detail::line_writer>(detail::line_writer{.write = std::move(write)});
    return [state](progress const& p) { (*state)(p); };
}

namespace detail {

/// Made once per copy of attune. Never destroyed: a thread may tune while the program ends.
struct chosen_sink {
    fork_safe_mutex lock{};
    std::shared_ptr<progress_sink const> sink{};

    [[nodiscard]] static chosen_sink& get()
    {
        static auto* const made = new chosen_sink;
        return *made;
    }
};

} // namespace detail

ATTUNE_INLINE progress_sink default_progress()
{
    auto const own = std::make_shared<progress_sink>();
    return [own](progress const& p) {
        std::shared_ptr<progress_sink const> chosen;
        {
            detail::chosen_sink& of_program = detail::chosen_sink::get();
            std::scoped_lock const one(of_program.lock);
            chosen = of_program.sink;
        }
        if (chosen) return (*chosen)(p);
        bool const on_terminal = ::isatty(STDERR_FILENO) != 0;
        if (!on_terminal && p.event != progress_event::notice) return;
        if (!*own) *own = terminal_progress();
        (*own)(p);
    };
}

ATTUNE_INLINE void set_default_sink(progress_sink sink)
{
    auto fresh = sink ? std::make_shared<progress_sink const>(std::move(sink)) : nullptr;
    detail::chosen_sink& of_program = detail::chosen_sink::get();
    std::scoped_lock const one(of_program.lock);
    of_program.sink.swap(fresh);
}

ATTUNE_INLINE progress_sink terminal_progress()
{
    if (::isatty(STDERR_FILENO) == 0)
        return line_progress([](std::string const& line) {
            detail::quiet_writes const quiet;
            std::fprintf(stderr, "%s\n", detail::shown_text(line).c_str());
            std::fflush(stderr);
        });
    auto const state = std::make_shared<detail::live_line>();
    return [state](progress const& p) { (*state)(p); };
}

ATTUNE_INLINE progress_sink silent_progress()
{
    return [](progress const&) {};
}

} // namespace attune::inline ATTUNE_ABI
