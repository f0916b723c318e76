"""The statistics, for a statistician to review, from the bottom up.

differences
    Differences of runs by topic, cleared of rounding errors, so that equal differences tie.
exact
    Sums without rounding, and p by random samples in stages: never 0, and valid whenever drawing stops
    (Phipson & Smyth 2010; Besag & Clifford 1991).
intervals
    Standard deviation, Student's t (1908), and two one-sided tests of equivalence (Schuirmann 1987), each at
    level α; intervals have a level of 95 %, topics are counted for a power of 80 %.
bootstrap
    Samples of topics (Efron 1979), 95 % intervals by their deviation, and the paired test with the achieved
    significance level of each pair, not corrected for their number (Efron & Tibshirani 1993; Sakai 2006).
matrices
    Scores as runs by topics, means over samples of topics, and 95 % percentile intervals of places.
rank_correlation
    τ-a, τ-b (Kendall 1948), weighted τ (Vigna 2015), τ_AP (Yilmaz, Aslam & Robertson 2008), RBO (Webber,
    Moffat & Zobel 2010), and their deviations over samples of topics.
tau_test
    The two-sided test of τ, exact for up to 100 systems (Kendall 1948; MacMahon 1915), and its usual reading
    (Voorhees 2001).

Tests of pairs of runs, and corrections for their number, are in `rankgauge.comparison`.
"""
