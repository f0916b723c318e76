"""The view *Multi-hop* of the explorer."""

from rankgauge.extensions.pages.explorer.views import View, add_view

DEPTHS = (2, 5, 10)


def incomplete(session, parameters):
    """The share of questions that each run completes, and topics that none completes."""
    scores = session.campaign.scores([f"AllFound@{depth}" for depth in DEPTHS])
    means = scores.mean()
    completed = (scores.values[:, -1] == 1).any(axis=0)  # for each topic, by any of the runs
    hard = [topic for topic, some in zip(scores.topics, completed, strict=True) if not some]
    return {
        "depths": DEPTHS,
        "runs": [{"run": session.shown_runs[run], "shares": [*by.values()]} for run, by in means.items()],
        "hard": [session.shown_topics[topic] for topic in hard],
    }


add_view(
    View(
        "multihop",
        {"incomplete": incomplete},
        offered=lambda session: session.has_judged_rankings,
        held=lambda session: [("incomplete", {})],  # a saved page answers it, too
        package="rankgauge_multihop",
    )
)
