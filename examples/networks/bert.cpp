// bert - the encoder of BERT-base from its mathematics, tuned on one budget, then run.
// Shows the time of a whole network. `bert full [evaluations [seconds]]` takes 128 tokens and 12
// blocks; without words 16 and 2, in seconds.
#include "bert.hpp"
#include "run.hpp"

int main(int count, char** text)
{
    networks::words const given(count, text);
    if (given.is_full)
        return networks::show<networks::bert<128, 12>>("bert, 128 tokens",
                                                       {given.evaluations, given.seconds});
    return networks::show<networks::bert<16, 2>>("bert, 16 tokens", {24, 5});
}
// prints:
// bert, 16 tokens: 18 calls of 8 layers, # G multiplications
// together: *
// latency # ms, median of 5 rounds of 2 runs: # GFLOP/s
// right: all results within # of the plain nests'
