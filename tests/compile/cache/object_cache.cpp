// tests/compile/cache/object_cache.cpp - compiled code on disk, so that nothing is compiled twice.
// SPDX-License-Identifier: MIT
#include <attune/compile/cache/object_cache.hpp>

#include <attune/core/hash.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "../../support/cache_folder.hpp"

using attune_test::cache_folder;

namespace {

std::string key_of(std::string const& text)
{
    return attune::detail::content_hash{}.add(text).hex();
}

std::int64_t now_ns()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

attune::detail::cache_inputs inputs_of(std::vector<std::string> read,
                                       std::vector<std::string> missed = {})
{
    return {std::move(read), std::move(missed), {}, now_ns()};
}

std::string found(attune::detail::object_cache const& cache, std::string const& key)
{
    auto const bytes = cache.find(key);
    return bytes ? bytes->bytes : "nothing";
}

/// A cache in a folder of its own.
struct own_cache {
    cache_folder folder{};
    attune::detail::object_cache cache{folder.options()};
};

/// @return  the status of a child that adds, for ten seconds at most
int status_of_adding_child(attune::detail::object_cache const& cache, std::string const& key)
{
    pid_t const child = ::fork();
    if (child == 0) {
        ::alarm(10);
        ::_exit(cache.add(key, "of a child", inputs_of({})) ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return status;
}

} // namespace

TEST_CASE("what was added is found, by any cache on the folder, and counted")
{
    auto const [folder, cache] = own_cache();
    std::string const bytes("a\0b\n", 4);
    CHECK(found(cache, key_of("one")) == "nothing");
    CHECK(cache.add(key_of("one"), bytes, inputs_of({})));
    CHECK(found(cache, key_of("one")) == bytes);
    CHECK(found(cache, key_of("two")) == "nothing");
    attune::detail::object_cache const other(folder.options());
    CHECK(found(other, key_of("one")) == bytes);
    attune::cache_statistics const counts = cache.statistics();
    CHECK(counts.hits == 1);
    CHECK(counts.misses == 2);
    CHECK(counts.added == 1);
    CHECK(counts.damaged == 0);
    CHECK(counts.folder == folder.path());
    CHECK(other.statistics().hits == 1);
}

TEST_CASE("later bytes replace earlier ones, and what is removed is gone")
{
    auto const [folder, cache] = own_cache();
    CHECK(cache.add(key_of("one"), "first", inputs_of({})));
    CHECK(cache.add(key_of("one"), "second", inputs_of({})));
    CHECK(found(cache, key_of("one")) == "second");
    cache.remove(key_of("one"));
    CHECK(found(cache, key_of("one")) == "nothing");
}

TEST_CASE("a file that was read counts by its content")
{
    auto const [folder, cache] = own_cache();
    std::string const header = folder.write("a.hpp", "int a;\n");
    REQUIRE(cache.add(key_of("one"), "code", inputs_of({header})));
    CHECK(found(cache, key_of("one")) == "code");
    SUBCASE("another content") { attune_test::replace_text(header, "int b;\n"); }
    SUBCASE("no file") { std::filesystem::remove(header); }
    SUBCASE("a folder in its place")
    {
        std::filesystem::remove(header);
        std::filesystem::create_directory(header);
    }
    CHECK(found(cache, key_of("one")) == "nothing");
    CHECK(found(attune::detail::object_cache(folder.options()), key_of("one")) == "nothing");
}

TEST_CASE("a file that was written again with the same content changes nothing")
{
    auto const [folder, cache] = own_cache();
    std::string const header = folder.write("a.hpp", "int a;\n");
    REQUIRE(cache.add(key_of("one"), "code", inputs_of({header})));
    std::filesystem::remove(header);
    attune_test::replace_text(header, "int a;\n");
    CHECK(found(cache, key_of("one")) == "code");
    attune_test::replace_text(header, "int b;\n");
    CHECK(found(cache, key_of("one")) == "nothing");
    attune_test::replace_text(header, "int a;\n");
    CHECK(found(cache, key_of("one")) == "code");
}

TEST_CASE("a file that was looked for must stay absent")
{
    auto const [folder, cache] = own_cache();
    std::string const header = folder.write("a.hpp", "int a;\n");
    std::string const earlier = header + ".earlier";
    REQUIRE(cache.add(key_of("one"), "code", inputs_of({header}, {earlier})));
    CHECK(found(cache, key_of("one")) == "code");
    (void)folder.write("a.hpp.earlier", "");
    CHECK(found(cache, key_of("one")) == "nothing");
    CHECK_FALSE(cache.add(key_of("two"), "code", inputs_of({header}, {earlier})));
}

TEST_CASE("a tool counts by its size and time of change")
{
    auto const [folder, cache] = own_cache();
    std::string const tool = folder.write("tool", "program");
    attune::detail::cache_inputs const inputs{{}, {}, {tool}, now_ns()};
    REQUIRE(cache.add(key_of("one"), "code", inputs));
    CHECK(found(cache, key_of("one")) == "code");
    std::filesystem::last_write_time(tool, std::filesystem::last_write_time(tool) -
                                               std::chrono::seconds(10));
    CHECK(found(cache, key_of("one")) == "nothing");
}

TEST_CASE("nothing is kept that a later look could not judge")
{
    auto const [folder, cache] = own_cache();
    std::string const old = folder.write("old.hpp", "int a;\n");
    attune::detail::cache_inputs late = inputs_of({old}); // it changed while it was being read
    late.began_ns -= 1'000'000'000;
    std::string const gone = old + ".not_there";
    std::string const clock = folder.write("clock.hpp", "auto const when = __DATE__;\n");
    for (attune::detail::cache_inputs const& inputs :
         {late, inputs_of({gone}), inputs_of({clock}), inputs_of({}, {"not/absolute"}),
          inputs_of({}, {"/not\nthere"})}) {
        CAPTURE(inputs.read);
        CHECK_FALSE(cache.add(key_of("one"), "code", inputs));
        CHECK(found(cache, key_of("one")) == "nothing");
    }
}

TEST_CASE("bytes can depend on the files that others depend on")
{
    auto const [folder, cache] = own_cache();
    std::string const header = folder.write("a.hpp", "int a;\n");
    REQUIRE(cache.add(key_of("one"), "code", inputs_of({header})));
    REQUIRE(cache.add(key_of("two"), "more code", cache.find(key_of("one"))->inputs));
    CHECK(found(cache, key_of("two")) == "more code");
    attune_test::replace_text(header, "int b;\n");
    CHECK(found(cache, key_of("two")) == "nothing");
}

TEST_CASE("a damaged file is never given out, and is removed")
{
    auto const [folder, writer] = own_cache();
    std::string const header = folder.write("a.hpp", "int a;\n");
    auto const fill = [&] {
        REQUIRE(writer.add(key_of("one"), "some code", inputs_of({header})));
        return folder.files();
    };
    std::vector<std::filesystem::path> const files = fill();
    REQUIRE(files.size() == 2); // the code, and the list of files
    std::uint64_t damages = 0;
    for (std::filesystem::path const& file : files) {
        std::string const whole = attune_test::text_of(file);
        auto const survives = [&](std::string const& text) {
            attune_test::replace_text(file, text);
            attune::detail::object_cache const reader(folder.options());
            CHECK(found(reader, key_of("one")) == "nothing");
            CHECK_FALSE(std::filesystem::exists(file));
            damages += reader.statistics().damaged;
            (void)fill();
            CHECK(found(attune::detail::object_cache(folder.options()), key_of("one")) ==
                  "some code");
        };
        for (std::size_t size = 0; size < whole.size(); ++size)
            survives(whole.substr(0, size));
        for (std::size_t at = 0; at < whole.size(); ++at) {
            std::string flipped = whole;
            flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
            survives(flipped);
        }
        survives(whole + "x");
    }
    CHECK(damages > 200);
}

TEST_CASE("a file under the name of another is not taken for it")
{
    auto const [folder, cache] = own_cache();
    REQUIRE(cache.add(key_of("one"), "one", inputs_of({})));
    REQUIRE(cache.add(key_of("two"), "two", inputs_of({})));
    auto const place = [&](std::string const& key) {
        return folder.path() + '/' + key.substr(0, 2) + '/' + key.substr(2);
    };
    std::filesystem::rename(place(key_of("one")), place(key_of("two")));
    CHECK(found(cache, key_of("two")) == "nothing");
    CHECK(cache.statistics().damaged == 1);
    std::filesystem::create_symlink(folder.write("elsewhere", "x"), place(key_of("two")));
    CHECK(found(cache, key_of("two")) == "nothing");
}

TEST_CASE("the folder and its files are this user's alone")
{
    auto const [folder, cache] = own_cache();
    REQUIRE(cache.add(key_of("one"), "code", inputs_of({})));
    auto const mode = [](std::filesystem::path const& path) {
        return std::filesystem::status(path).permissions();
    };
    CHECK(mode(folder.path()) == std::filesystem::perms::owner_all);
    for (auto const& entry : std::filesystem::recursive_directory_iterator(folder.path()))
        CHECK((mode(entry.path()) & ~std::filesystem::perms::owner_all) ==
              std::filesystem::perms::none);
}

TEST_CASE("a folder that others may write to is refused in one sentence")
{
    cache_folder const folder;
    std::filesystem::create_directory(folder.path());
    REQUIRE(::chmod(folder.path().c_str(), 0777) == 0);
    attune::detail::object_cache const cache(folder.options());
    CHECK_FALSE(cache.add(key_of("one"), "code", inputs_of({})));
    CHECK(found(cache, key_of("one")) == "nothing");
    CHECK(cache.statistics().folder.empty());
    CHECK(cache.statistics().off_because ==
          "the cache is off: others may write to " + folder.path() + " (chmod go-w it)");
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("what another user owns is never code here: neither a folder nor a file in an own one")
{
    auto const [folder, cache] = own_cache();
    std::string const place =
        folder.path() + '/' + key_of("one").substr(0, 2) + '/' + key_of("one").substr(2);
    REQUIRE(cache.add(key_of("one"), "code", inputs_of({})));
    REQUIRE(::chmod(place.c_str(), 0620) == 0);
    CHECK(found(cache, key_of("one")) == "nothing");
    CHECK(cache.statistics().damaged == 1);
    REQUIRE(cache.add(key_of("one"), "code", inputs_of({})));
    CHECK(found(cache, key_of("one")) == "code");
    constexpr ::uid_t other = 12345;
    if (::chown(place.c_str(), other, static_cast<::gid_t>(-1)) != 0) {
        MESSAGE("skipped: only root can give a file to another user");
        return;
    }
    CHECK(found(cache, key_of("one")) == "nothing");
    CHECK(cache.statistics().damaged == 2);
    REQUIRE(cache.add(key_of("one"), "code", inputs_of({})));
    REQUIRE(::chown(folder.path().c_str(), other, static_cast<::gid_t>(-1)) == 0);
    attune::detail::object_cache const of_other(folder.options());
    CHECK(found(of_other, key_of("one")) == "nothing");
    CHECK_FALSE(of_other.add(key_of("two"), "code", inputs_of({})));
    CHECK(of_other.statistics().off_because ==
          "the cache is off: others may write to " + folder.path() + ", which another user owns");
}

TEST_CASE("a folder that cannot be made turns the cache off")
{
    attune::detail::object_cache const cache(attune::cache_options{true, "/proc/no/such/place"});
    CHECK_FALSE(cache.add(key_of("one"), "code", inputs_of({})));
    CHECK(cache.statistics().off_because.find("/proc/no/such/place") != std::string::npos);
    CHECK(found(cache, key_of("one")) == "nothing");
}

TEST_CASE("an option or ATTUNE_CACHE=off turns the cache off, a folder in the options counts more")
{
    cache_folder const folder;
    attune::cache_options options = folder.options();
    options.enabled = false;
    CHECK_FALSE(attune::detail::object_cache(options).add(key_of("one"), "code", inputs_of({})));
    CHECK_FALSE(std::filesystem::exists(folder.path()));
    // The test's main function has set ATTUNE_CACHE, unless the user did.
    std::string const former = ::getenv("ATTUNE_CACHE");
    ::setenv("ATTUNE_CACHE", "off", 1);
    CHECK(attune::detail::object_cache{}.statistics().off_because ==
          "the cache is off: ATTUNE_CACHE says so");
    CHECK(attune::detail::object_cache(folder.options()).statistics().off_because.empty());
    ::setenv("ATTUNE_CACHE", folder.path().c_str(), 1);
    CHECK(attune::detail::object_cache{}.statistics().folder == folder.path());
    ::unsetenv("ATTUNE_CACHE");
    ::setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
    CHECK(attune::detail::object_cache{}.statistics().folder == folder.path() + "/attune");
    ::unsetenv("XDG_CACHE_HOME");
    ::setenv("ATTUNE_CACHE", former.c_str(), 1);
}

TEST_CASE("a cache whose folder is deleted meanwhile starts anew")
{
    auto const [folder, cache] = own_cache();
    REQUIRE(cache.add(key_of("one"), "code", inputs_of({})));
    std::filesystem::remove_all(folder.path());
    CHECK(found(cache, key_of("one")) == "nothing");
    CHECK(cache.add(key_of("one"), "code", inputs_of({})));
    CHECK(found(cache, key_of("one")) == "code");
}

TEST_CASE("past the limit, what was used longest ago goes")
{
    cache_folder const folder;
    constexpr std::uint64_t block = 4096; // what a file takes
    attune::detail::object_cache const cache(folder.options(40 * block));
    std::string const header = folder.write("a.hpp", "int a;\n");
    auto const name = [](int i) { return key_of(std::to_string(i)); };
    for (int i = 0; i < 39; ++i) // 39 entries and one list
        REQUIRE(cache.add(name(i), "code", inputs_of({header})));
    CHECK(folder.files().size() == 40);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(found(cache, name(0)) == "code");
    CHECK(found(cache, name(5)) == "code");
    REQUIRE(cache.add(name(100), "code", inputs_of({header})));
    CHECK(folder.files().size() == 32); // four fifths
    CHECK(found(cache, name(0)) == "code");
    CHECK(found(cache, name(5)) == "code");
    CHECK(found(cache, name(100)) == "code");
    CHECK(found(cache, name(1)) == "nothing");
    CHECK(found(cache, name(38)) == "code");
}

TEST_CASE("a lost or damaged total is counted anew")
{
    cache_folder const folder;
    constexpr std::uint64_t block = 4096;
    attune::detail::object_cache const cache(folder.options(10 * block));
    for (int i = 0; i < 6; ++i)
        REQUIRE(cache.add(key_of(std::to_string(i)), "code", inputs_of({})));
    std::string const total = folder.path() + "/total";
    CHECK(attune_test::text_of(total) == "00000000000000028672"); // with the empty list
    SUBCASE("lost") { std::filesystem::remove(total); }
    SUBCASE("damaged") { attune_test::replace_text(total, "0000000000000000000x"); }
    SUBCASE("too small") { attune_test::replace_text(total, "1"); }
    REQUIRE(cache.add(key_of("more"), "code", inputs_of({})));
    CHECK(attune_test::text_of(total) == "00000000000000032768");
}

TEST_CASE("what a killed process left half written is removed after an hour")
{
    cache_folder const folder;
    attune::detail::object_cache const cache(folder.options(4096));
    REQUIRE(cache.add(key_of("one"), "code", inputs_of({})));
    std::string const left = folder.path() + "/new.1.2";
    std::string const fresh = folder.path() + "/new.1.3";
    attune_test::replace_text(left, "half");
    attune_test::replace_text(fresh, "half");
    std::filesystem::last_write_time(left, std::filesystem::last_write_time(left) -
                                               std::chrono::hours(2));
    REQUIRE(cache.add(key_of("two"), "code", inputs_of({})));
    CHECK_FALSE(std::filesystem::exists(left));
    CHECK(std::filesystem::exists(fresh));
}

TEST_CASE("several threads share one cache")
{
    cache_folder const folder;
    std::string const header = folder.write("a.hpp", "int a;\n");
    attune::detail::object_cache const cache(folder.options(64 * 4096));
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 100; ++i) {
                std::string const text = std::to_string((i * 7 + t) % 90);
                auto const bytes = cache.find(key_of(text));
                if (bytes && bytes->bytes != text) ++wrong;
                if (!bytes) (void)cache.add(key_of(text), text, inputs_of({header}));
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    CHECK(wrong == 0);
    CHECK(cache.statistics().damaged == 0);
    CHECK(cache.statistics().hits + cache.statistics().misses == 400);
}

TEST_CASE("a child of fork() can add, also where another thread was adding")
{
    auto const [folder, cache] = own_cache();
    std::atomic<bool> is_over{false};
    std::thread adding([&] {
        while (!is_over)
            (void)cache.add(key_of("a thread"), "of a thread", inputs_of({}));
    });
    for (int i = 0; i < 100; ++i)
        if (int const status = status_of_adding_child(cache, key_of(std::to_string(i)));
            status != 0) {
            CHECK(status == 0);
            break;
        }
    is_over = true;
    adding.join();
}

TEST_CASE("what a stopped process has locked delays no addition")
{
    auto const [folder, cache] = own_cache();
    REQUIRE(cache.add(key_of("one"), "code", inputs_of({})));
    int const total = ::open((folder.path() + "/total").c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(total >= 0);
    REQUIRE(::flock(total, LOCK_EX) == 0);
    CHECK(status_of_adding_child(cache, key_of("two")) == 0);
    CHECK(found(cache, key_of("two")) == "of a child");
    ::close(total);
}
