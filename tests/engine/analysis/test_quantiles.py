"""The quantiles agree with scipy, which the window's process may not load."""

import pytest
from scipy import stats

from studio.engine.analysis.quantiles import median_rank, normal_quantile, t_quantile


@pytest.mark.parametrize("probability", [0.001, 0.1, 0.5, 0.6, 0.9, 0.95, 0.975, 0.995, 0.9999])
def test_they_agree_with_scipy(probability):
    normal = normal_quantile(probability)
    assert normal == pytest.approx(stats.norm.ppf(probability), rel=1e-9, abs=1e-12)
    for freedom in (1, 2, 3, 4, 5, 9, 10, 29, 30, 100, 399, 400, 401, 5000):
        ours = t_quantile(probability, freedom)
        assert ours == pytest.approx(stats.t.ppf(probability, freedom), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("probability", [0.0, 1.0, -0.1, 1.5])
def test_only_a_probability_has_a_quantile(probability):
    with pytest.raises(ValueError, match="between 0 and 1"):
        normal_quantile(probability)


@pytest.mark.parametrize("count", [0, 1, 5, 6, 10, 11, 50, 100, 999, 1000, 1001, 5000])
def test_the_values_left_out_at_each_end_still_cover_the_median(count):
    rank = median_rank(count, 0.95)
    assert rank == 0 or 1 - 2 * stats.binom.cdf(rank - 1, count, 0.5) >= 0.95
    # No rank above would do, but for the approximation for many values.
    assert 1 - 2 * stats.binom.cdf(rank + (count > 1000), count, 0.5) < 0.95
