// tests/core/hash.cpp - the fingerprint is FNV-1a of 128 bits.
// SPDX-License-Identifier: MIT
#include <attune/core/hash.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <set>
#include <string>
#include <string_view>

namespace {

std::string raw(std::string_view text)
{
    return attune::detail::content_hash{}.add_raw(text).hex();
}

/// FNV-1a by school multiplication of bytes: no 128-bit type, so that it fails differently.
std::string fnv_by_bytes(std::string_view text)
{
    std::array<unsigned, 16> state{}; // least significant byte first
    std::string_view const basis = "6c62272e07bb014262b821756295c58d";
    auto const digit = [](char c) {
        return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
    };
    for (std::size_t i = 0; i < 16; ++i)
        state[15 - i] = digit(basis[2 * i]) * 16 + digit(basis[2 * i + 1]);
    std::array<unsigned, 16> prime{}; // 2^88 + 2^8 + 0x3b
    prime[0] = 0x3b;
    prime[1] = 1;
    prime[11] = 1;
    for (char const c : text) {
        state[0] ^= static_cast<unsigned char>(c);
        std::array<unsigned, 16> product{};
        for (std::size_t a = 0; a < 16; ++a)
            for (std::size_t b = 0; a + b < 16; ++b)
                product[a + b] += state[a] * prime[b];
        unsigned carry = 0;
        for (unsigned& byte : product) {
            carry += byte;
            byte = carry & 255;
            carry >>= 8;
        }
        state = product;
    }
    std::string hex;
    for (std::size_t i = 16; i-- > 0;) {
        hex += "0123456789abcdef"[state[i] >> 4];
        hex += "0123456789abcdef"[state[i] & 15];
    }
    return hex;
}

} // namespace

TEST_CASE("add_raw gives the published FNV-1a test vectors of 128 bits")
{
    CHECK(raw("") == "6c62272e07bb014262b821756295c58d");
    CHECK(raw("a") == "d228cb696f1a8caf78912b704e4a8964");
    CHECK(raw("b") == "d228cb69721a8caf78912b704e4a8d15");
    CHECK(raw("foobar") == "343e1662793c64bf6f0d3597ba446f18");
}

TEST_CASE("add_raw agrees with FNV-1a by school multiplication, for every byte")
{
    std::string text;
    for (int code = 0; code < 256; ++code) {
        text += static_cast<char>(code);
        CHECK(raw(text) == fnv_by_bytes(text));
    }
}

TEST_CASE("add_raw in pieces is add_raw of the whole")
{
    CHECK(attune::detail::content_hash{}.add_raw("foo").add_raw("bar").hex() == raw("foobar"));
}

TEST_CASE("add hashes the length, eight bytes least significant first, then the text")
{
    using namespace std::string_literals;
    CHECK(attune::detail::content_hash{}.add("abc").hex() == fnv_by_bytes("\3\0\0\0\0\0\0\0abc"s));
    std::string const long_text(300, 'x');
    CHECK(attune::detail::content_hash{}.add(long_text).hex() ==
          fnv_by_bytes("\x2c\1\0\0\0\0\0\0"s + long_text));
}

TEST_CASE("one word more makes different hashes of different ones, whatever follows")
{
    // (hash ^ word) * odd and x ^ x >> 32 are one to one in each argument.
    std::set<std::uint64_t> of_words;
    std::set<std::uint64_t> of_hashes;
    for (std::uint64_t i = 0; i < 1000; ++i) {
        std::uint64_t const one = i % 2 == 0 ? i : ~i << 40;
        of_words.insert(attune::detail::mixed(attune::detail::mixed(7, one), 3));
        of_hashes.insert(attune::detail::mixed(one, 7));
    }
    CHECK(of_words.size() == 1000);
    CHECK(of_hashes.size() == 1000);
    CHECK(attune::detail::mixed(attune::detail::mixed(0, 1), 2) !=
          attune::detail::mixed(attune::detail::mixed(0, 2), 1));
    static_assert(attune::detail::mixed(0, 1) == (0xff51afd7ed558ccdULL ^ 0xff51afd7ULL));
}

TEST_CASE("where one text ends and the next begins matters")
{
    std::set<std::string> seen;
    seen.insert(attune::detail::content_hash{}.add("ab").add("c").hex());
    seen.insert(attune::detail::content_hash{}.add("a").add("bc").hex());
    seen.insert(attune::detail::content_hash{}.add("abc").hex());
    seen.insert(attune::detail::content_hash{}.add("abc").add("").hex());
    seen.insert(attune::detail::content_hash{}.add("").add("abc").hex());
    seen.insert(attune::detail::content_hash{}.hex());
    CHECK(seen.size() == 6);
}

TEST_CASE("reading the fingerprint does not change it")
{
    attune::detail::content_hash hash;
    hash.add("kernel");
    std::string const first = hash.hex();
    CHECK(hash.hex() == first);
    CHECK(first.size() == 32);
    CHECK(first.find_first_not_of("0123456789abcdef") == std::string::npos);
}
