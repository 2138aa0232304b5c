// tests/remember/files/sample_file.cpp - lines that many append to one file.
// SPDX-License-Identifier: MIT
#include <attune/remember/files/sample_file.hpp>

#include <attune/core/random.hpp>
#include <attune/remember/detail/line_bytes.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <filesystem>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "../../support/open_files.hpp"
#include "../../support/scratch_directory.hpp"

using attune::detail::sample_file;

TEST_CASE("lines read back in their order, those of another meaning do not")
{
    auto const [folder, path] = support::scratch_file("deep/samples");
    sample_file ours(path, "ours");
    sample_file others(path, "others");
    CHECK(ours.last(9).empty());
    CHECK(ours.problem().empty()); // a missing file is none
    ours.add("a\t1 2\n");
    others.add("b\t3\n");
    ours.add("c\t\nd\t4\n");
    CHECK(ours.last(9) == "a\t1 2\nc\t\nd\t4\n");
    CHECK(ours.last(2) == "c\t\nd\t4\n");
    CHECK(ours.last(0).empty());
    CHECK(ours.last(2, "d\t") == "a\t1 2\nc\t\n"); // those left out do not count
    CHECK(ours.last(9, {}, 7) == "c\t\nd\t4\n");   // 3 and 4 bytes
    CHECK(ours.last(9, {}, 6) == "d\t4\n");
    CHECK(ours.last(9, {}, 3).empty());
    CHECK(ours.last(9, "d\t", 7) == "c\t\n"); // nothing older in place of a long line
    CHECK(others.last(9) == "b\t3\n");
    CHECK(ours.problem().empty());
}

TEST_CASE("wherever a writer was killed, all other lines are read, then and later")
{
    auto const [folder, path] = support::scratch_file("samples");
    sample_file(path, "m").add("first 1\nsecond 2\n");
    std::string const whole = support::read_file(path);
    std::size_t const head = whole.find('\n') + 1;
    std::size_t const second = whole.find('\n', head) + 1;
    for (std::size_t cut = 0; cut < whole.size(); ++cut) {
        support::write_file(path, whole.substr(0, cut));
        sample_file file(path, "m");
        bool const has_first = cut >= second;
        CHECK(file.last(9) == (has_first ? "first 1\n" : ""));
        file.add("third 3\n");
        // A line that lacks its end alone is whole.
        bool const ends = cut == second - 1 || cut == whole.size() - 1;
        std::string want = has_first || ends ? "first 1\n" : "";
        if (cut == whole.size() - 1) want += "second 2\n";
        CHECK(file.last(9) == want + "third 3\n");
        CHECK(file.problem().empty());
    }
}

TEST_CASE("a changed byte costs its line alone")
{
    auto const [folder, path] = support::scratch_file("samples");
    sample_file(path, "m").add("first 1\nsecond 2\nthird 3\n");
    std::string const whole = support::read_file(path);
    std::size_t const begin = whole.find('\n', whole.find('\n') + 1) + 1;
    std::size_t const end = whole.find('\n', begin);
    for (std::size_t at = begin; at < end; ++at) {
        std::string text = whole;
        text[at] = text[at] == 'x' ? 'y' : 'x';
        support::write_file(path, text);
        CHECK(sample_file(path, "m").last(9) == "first 1\nthird 3\n");
    }
}

TEST_CASE("a file of something else is neither read nor written")
{
    auto const [folder, path] = support::scratch_file("store");
    for (std::string const text : {"{\"attune_store\":2}\n", "x"}) {
        support::write_file(path, text);
        sample_file file(path, "m");
        CHECK(file.last(9).empty());
        file.add("a\n");
        CHECK(!file.problem().empty());
        CHECK(support::read_file(path) == text);
    }
    sample_file nowhere(folder.path(), "m"); // a folder
    nowhere.add("a\n");
    CHECK(!nowhere.problem().empty());
}

namespace {

/// The sum of the numbers of each name, by lines "name TAB number TAB filling".
using sums_by_name = std::map<std::string, std::uint64_t>;

struct summed {
    sums_by_name sums{};
    attune::detail::damaged_lines damaged{};
    std::size_t given = 0; ///< lines, in the last call
    std::size_t calls = 0;
};
bool add_line(sums_by_name& to, std::string_view line)
{
    std::size_t const tab = line.find('\t');
    if (tab == line.npos) return false;
    std::uint64_t value = 0;
    auto const [end, problem] =
        std::from_chars(line.data() + tab + 1, line.data() + line.size(), value);
    if (problem != std::errc{} || *end != '\t') return false;
    to[std::string(line.substr(0, tab))] += value;
    return true;
}
summed sums_in(sample_file& file, std::string const& text_of_sum = {})
{
    summed out;
    out.damaged = file.sum_up(
        [&](std::span<std::string_view const> lines) {
            ++out.calls;
            out.sums.clear();
            out.given = lines.size();
            std::vector<std::size_t> unread;
            for (std::size_t i = 0; i < lines.size(); ++i)
                if (!add_line(out.sums, lines[i])) unread.push_back(i);
            return unread;
        },
        [&] {
            std::string text = text_of_sum;
            for (auto const& [name, sum] : out.sums)
                text += name + '\t' + std::to_string(sum) + "\t\n";
            return text;
        });
    return out;
}

/// CRC-32 bit by bit.
std::uint32_t slow_crc(std::string_view text)
{
    std::uint32_t crc = ~0u;
    for (char const c : text) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit)
            crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0u);
    }
    return ~crc;
}

/// A second implementation: reads the whole file, and knows of no sums.
summed brute_sums(std::string const& path, std::string const& meaning)
{
    summed out;
    std::istringstream all(support::read_file(path));
    std::string line;
    for (std::size_t number = 1; std::getline(all, line) && !all.eof(); ++number) {
        if (number == 1 || line.empty()) continue;
        std::size_t const first = line.find('\t');
        std::size_t const second = first == line.npos ? first : line.find('\t', first + 1);
        std::string const its = line.substr(0, first);
        bool is_damaged = second == line.npos || second + 1 == line.size() ||
                          its.find_first_not_of("0123456789") != its.npos;
        if (!is_damaged && its != meaning) continue;
        std::string const sample = is_damaged ? "" : line.substr(second + 1);
        is_damaged =
            is_damaged ||
            line.substr(first + 1, second - first - 1) != std::to_string(slow_crc(sample)) ||
            !add_line(out.sums, sample);
        if (is_damaged && out.damaged.count++ == 0) out.damaged.first = number;
    }
    return out;
}

std::string random_lines(attune::random_engine& engine, std::size_t count)
{
    std::string out;
    for (std::size_t i = 0; i < count; ++i) {
        bool const is_right = attune::uniform_below(engine, 500) > 0;
        out += "name" + std::to_string(attune::uniform_below(engine, 7)) + '\t' +
               (is_right ? std::to_string(attune::uniform_below(engine, 1'000'000)) : "?") + '\t' +
               std::string(attune::uniform_below(engine, 2'000), 'x') + '\n';
    }
    return out;
}

} // namespace

TEST_CASE("sums are those of all lines, whatever happens to a file and to what stands beside it")
{
    attune::random_engine engine(5);
    std::size_t used = 0;    // sums in place of lines
    std::size_t told = 0;    // with damaged lines
    std::size_t refused = 0; // sums of another beginning, or damaged ones
    for (int history = 0; history < 12; ++history) {
        auto const [folder, path] = support::scratch_file("samples");
        std::string const beside = path + ".sums";
        std::string const other = folder.file("other");
        sample_file(path, "other").add("a\t1\t\n");
        std::string const meaning =
            std::to_string(attune::detail::hash_of_text("m")); // as in the file
        std::string old_sums;
        for (int step = 0; step < 25; ++step) {
            std::string text = support::read_file(path);
            std::string sums = support::read_file(beside);
            auto const somewhere = [&](std::string const& in) {
                return static_cast<std::size_t>(attune::uniform_below(engine, in.size()));
            };
            std::size_t const happens = attune::uniform_below(engine, 12);
            CAPTURE(happens);
            if (happens < 4) {
                sample_file(path, "m").add(
                    random_lines(engine, attune::uniform_below(engine, 500)));
            } else if (happens == 4) { // truncated
                support::write_file(path, text.substr(0, 17 + somewhere(text) % 400'000));
            } else if (happens == 5 && text.size() > 20) { // edited
                std::size_t const at = 17 + somewhere(text) % (text.size() - 17);
                text[at] = text[at] == 'y' ? 'z' : 'y';
                support::write_file(path, text);
            } else if (happens == 6) { // rewritten, of another length or none
                std::filesystem::remove(path);
                sample_file(path, "m").add(
                    random_lines(engine, attune::uniform_below(engine, 400)));
            } else if (happens == 7) { // by hand: two lines exchange their places
                std::size_t const a = text.find('\n', somewhere(text) / 3);
                std::size_t const b = a == text.npos ? a : text.find('\n', a + 1);
                std::size_t const c = b == text.npos ? b : text.find('\n', b + 1);
                if (c != text.npos)
                    support::write_file(path, text.substr(0, a) + text.substr(b, c - b) +
                                                  text.substr(a, b - a) + text.substr(c));
            } else if (happens == 8 && !sums.empty()) { // garbage
                sums[somewhere(sums)] ^= 1;
                support::write_file(beside, sums);
            } else if (happens == 9 && !sums.empty()) {
                support::write_file(beside, sums.substr(0, somewhere(sums)));
            } else if (happens == 10 && !old_sums.empty()) { // stale
                support::write_file(beside, old_sums);
            } else if (happens == 11) {
                old_sums = sums;
                std::filesystem::remove(beside);
            }
            summed const want = brute_sums(path, meaning);
            sample_file file(path, "m");
            std::string const lines = file.last(1'000'000);
            auto const all = static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'));
            for (int again = 0; again < 2; ++again) {
                summed const got = sums_in(file);
                CHECK(got.sums == want.sums);
                CHECK(got.damaged.count == want.damaged.count);
                CHECK(got.damaged.first == want.damaged.first);
                CHECK(got.damaged.why.empty() == (got.damaged.count == 0));
                CHECK(got.given <= all + 7);
                used += got.given < all ? 1 : 0;
                told += got.given < all && got.damaged.count > 0 ? 1 : 0;
                refused += again == 0 && !sums.empty() && got.given == all ? 1 : 0;
            }
            CHECK(file.problem().empty());
        }
    }
    CHECK(used > 100);
    CHECK(told > 20);
    CHECK(refused > 20);
}

TEST_CASE("sums count on any machine and for one meaning alone, and none is needed")
{
    auto const [folder, path] = support::scratch_file("samples");
    std::string const beside = path + ".sums";
    attune::random_engine engine(6);
    sample_file file(path, "m");
    file.add(random_lines(engine, 100));
    CHECK(!std::filesystem::exists(beside) == (std::filesystem::file_size(path) < 256 * 1024));
    file.add(random_lines(engine, 900));
    sums_by_name const all = sums_in(file).sums;
    std::string const written = support::read_file(beside);
    REQUIRE(!written.empty());
    CHECK(sums_in(file).given == 7);
    // Of a machine that has the bytes of numbers in another order.
    std::size_t const hash = written.find('\t', written.find('\t', written.find('\n')) + 1) + 1;
    std::uint64_t number = std::stoull(written.substr(hash));
    std::uint64_t swapped = 0;
    for (int i = 0; i < 8; ++i, number >>= 8)
        swapped = swapped << 8 | (number & 0xff);
    std::string rest = written.substr(0, hash) + std::to_string(swapped) +
                       written.substr(written.find('\t', hash));
    rest.erase(0, rest.find('\n') + 1);
    support::write_file(beside, "attune_sums 1\t" + std::to_string(slow_crc(rest)) + '\n' + rest);
    summed const anew = sums_in(file);
    CHECK(anew.given > 900);
    CHECK(anew.sums == all);
    CHECK(support::read_file(beside) == written);
    // Another meaning has no part in it, and replaces it only with as much to sum up.
    sample_file others(path, "others");
    others.add("a\t3\t\n");
    CHECK(sums_in(others).sums == sums_by_name{{"a", 3}});
    CHECK(sums_in(file).sums == all);
    // What a sum says, no one understands: all lines are read.
    std::filesystem::remove(beside);
    CHECK(sums_in(file, "nothing\n").sums == all);
    summed const twice = sums_in(file);
    CHECK(twice.calls == 3); // with nothing, with the sum, without it
    CHECK(twice.sums == all);
    CHECK(twice.damaged.count == anew.damaged.count);
    // Where it cannot be written.
    std::filesystem::remove(beside);
    std::filesystem::create_directory(beside);
    CHECK(sums_in(file).sums == all);
    CHECK(sums_in(file).given > 900);
    CHECK(file.problem().empty());
}

TEST_CASE("processes that add and sum up at once miss nothing")
{
    auto const [folder, path] = support::scratch_file("samples");
    constexpr int processes = 4;
    constexpr int rounds = 12;
    std::vector<::pid_t> children;
    for (int p = 0; p < processes; ++p) {
        children.push_back(::fork());
        REQUIRE(children.back() >= 0);
        if (children.back() != 0) continue;
        sample_file file(path, "m");
        std::string const name = "process" + std::to_string(p);
        bool is_right = true;
        for (int round = 1; round <= rounds; ++round) {
            std::string lines;
            for (int i = 0; i < 40; ++i)
                lines += name + "\t1\t" + std::string(1'000, 'x') + '\n';
            file.add(lines);
            is_right = is_right && sums_in(file).sums[name] == static_cast<unsigned>(40 * round);
        }
        ::_exit(is_right && file.problem().empty() ? 0 : 1);
    }
    for (::pid_t const child : children) {
        CHECK(attune_test::status_of(child) == 0);
    }
    sample_file file(path, "m");
    summed const all = sums_in(file);
    CHECK(all.given < processes * rounds * 40); // there are sums
    CHECK(all.damaged.count == 0);
    for (int p = 0; p < processes; ++p)
        CHECK(all.sums.at("process" + std::to_string(p)) == 40 * rounds);
}
