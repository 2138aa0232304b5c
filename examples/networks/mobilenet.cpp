// mobilenet - MobileNet from its mathematics, all layers tuned on one budget, then run.
// Shows the time of a whole network. `mobilenet full [evaluations [seconds]]` takes the image of
// 224x224 pixels; without words a small one, in seconds.
#include "mobilenet.hpp"
#include "run.hpp"

int main(int count, char** text)
{
    networks::words const given(count, text);
    if (given.is_full)
        return networks::show<networks::mobilenet<224>>("mobilenet 224x224x3",
                                                        {given.evaluations, given.seconds});
    return networks::show<networks::mobilenet<32>>("mobilenet 32x32x3", {44, 5});
}
// prints:
// mobilenet 32x32x3: 30 calls of 22 layers, # G multiplications
// together: *
// latency # ms, median of 5 rounds of 2 runs: # GFLOP/s
// right: all results within # of the plain nests'
