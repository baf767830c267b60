"""What all tests share."""

import os

from hypothesis import HealthCheck, settings

# How fast a machine is decides no test.
untimed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

settings.register_profile("local", untimed)
settings.register_profile("ci", untimed, derandomize=True, print_blob=True)
settings.register_profile("long", untimed, max_examples=3000)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") == "true" else "local")
)
