// attune/space/files/detail/recording.hpp - the text of a recording, and the condition that a configuration was recorded.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/environment.hpp>
#include <attune/core/error.hpp>
#include <attune/core/posix/descriptor.hpp>
#include <attune/core/posix/spawn.hpp>
#include <attune/core/version.hpp>
#include <attune/declare/description.hpp>
#include <attune/declare/point.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <unordered_set>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The whole content of `from`; nothing after a failure, such as for a folder.
[[nodiscard]] inline std::optional<std::string> text_read_from(descriptor const& from)
{
    std::string out;
    std::array<char, 65536> block{};
    for (;;) {
        ssize_t const got = ::read(from.get(), block.data(), block.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return std::nullopt;
        if (got == 0) return out;
        out.append(block.data(), static_cast<std::size_t>(got));
    }
}

/// The text of the file at `path`, unpacked by gzip if the name ends in .gz.
/// Errors  attune::error: the file cannot be opened, read or unpacked
[[nodiscard]] inline std::string unpacked_file(std::string const& path)
{
    descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) throw error("file cannot be read", path, "check that it exists and is readable");
    if (!path.ends_with(".gz")) {
        std::optional<std::string> text = text_read_from(file);
        if (!text) throw error("file cannot be read", path, "check that it is not a folder");
        return *std::move(text);
    }
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw error("no pipe for the unpacked text", path, "check the limit on open files");
    descriptor out(ends[0]);
    descriptor in(ends[1]);
    spawn_request request;
    request.path =
        "/bin/sh"; // finds gzip in PATH; reads the file as input, so no name needs quotes
    // The final point shows that gzip has unpacked all. The exit status may be lost: another thread
    // of the program may wait for any child.
    request.arguments = {"sh", "-c", "gzip -dc && printf ."};
    request.environment = environment_of_children();
    request.files = {{0, file.get()}, {1, in.get()}, {2, -1}};
    spawn_outcome const started = spawn(std::move(request));
    in.close();
    std::optional<std::string> text;
    if (started.process > 0) text = text_read_from(out);
    out.close(); // ends a gzip that still writes
    while (started.process > 0 && ::waitpid(started.process, nullptr, 0) < 0 && errno == EINTR) {
    }
    if (!text || !text->ends_with('.'))
        throw error("file cannot be unpacked", path, "check that gzip is installed and unpacks it");
    text->pop_back();
    return *std::move(text);
}

using recorded_points = std::unordered_set<point, point_hash>;

/// Points in lexicographic order: points with an equal beginning are neighbours.
class sorted_points {
public:
    explicit sorted_points(recorded_points const& all)
        : all_(all.begin(), all.end())
    {
        std::sort(all_.begin(), all_.end(), [](point const& a, point const& b) {
            return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), is_below);
        });
    }

    /// Returns true if a point begins with these coordinates.
    [[nodiscard]] bool has_begun(std::span<coordinate const> first) const
    {
        auto const found = std::partition_point(all_.begin(), all_.end(), [&](point const& p) {
            auto const here = beginning(p, first.size());
            return std::lexicographical_compare(here.begin(), here.end(), first.begin(),
                                                first.end(), is_below);
        });
        return found != all_.end() && std::ranges::equal(beginning(*found, first.size()), first);
    }

private:
    [[nodiscard]] static std::span<coordinate const> beginning(point const& p, std::size_t count)
    {
        return std::span(p).first(count);
    }
    [[nodiscard]] static bool is_below(coordinate const& a, coordinate const& b)
    {
        return a.index != b.index ? a.index < b.index : a.real < b.real;
    }

    std::vector<point> all_;
};

/// Adds the constraint that a configuration was recorded. If there are many combinations, adds a
/// constraint for each n: a row has the same values of the first n parameters. A tree then takes
/// about as many steps as rows and values. Each constraint holds where an earlier one fails, so an
/// explanation has one sentence.
inline void only_recorded(description& space, std::shared_ptr<recorded_points const> known)
{
    constexpr double combinations_tried = 1e5;
    auto const add = [&](std::uint32_t count, opaque_predicate test) {
        constraint_description condition;
        condition.text = "the configuration was recorded";
        for (std::uint32_t i = 0; i < count; ++i)
            condition.scope.push_back(i);
        condition.test = std::move(test);
        space.constraints.push_back(std::move(condition));
    };
    auto const parameters = static_cast<std::uint32_t>(space.parameters.size());
    std::shared_ptr<sorted_points const> sorted;
    double combinations = 1;
    for (std::uint32_t i = 0; i + 1 < parameters; ++i) {
        combinations *= static_cast<double>(space.parameters[i].value_count());
        if (combinations < combinations_tried) continue;
        bool const is_first = !sorted;
        if (is_first) sorted = std::make_shared<sorted_points const>(*known);
        add(i + 1, [sorted, is_first](description const&, std::span<coordinate const> at) {
            return (!is_first && !sorted->has_begun(at.first(at.size() - 1))) ||
                   sorted->has_begun(at);
        });
    }
    add(parameters,
        [known = std::move(known), sorted](description const&, std::span<coordinate const> at) {
            return (sorted && !sorted->has_begun(at.first(at.size() - 1))) ||
                   known->contains(point(at.begin(), at.end()));
        });
}

} // namespace attune::inline ATTUNE_ABI::detail
