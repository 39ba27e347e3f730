"""Fine-tune with Hugging Face's Trainer by expected cost, and follow the cost while training.

A tiny random text classifier on synthetic token sequences, so that it runs in seconds. In your own
code the parts that matter are `CostTrainer.compute_loss` and `compute_metrics`.

Needs: pip install 'stakes[torch]' transformers accelerate
"""

from __future__ import annotations

import tempfile

import numpy as np
import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

import stakes
from stakes.integrations.torch import ExpectedCostLoss

APP = stakes.Application(
    stakes.CostMatrix(
        [[0, 1, 0.3], [6, 0, 0.3]], classes=["fine", "harmful"], decisions=["post", "block", "ask"]
    ),
    priors=[0.9, 0.1],
)


class Texts(torch.utils.data.Dataset):
    """Sequences of 30 possible tokens; harmful ones hold more of the upper tokens."""

    def __init__(self, n: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.labels = rng.integers(0, 2, n)
        upper = rng.random((n, 12)) < 0.2 + 0.6 * self.labels[:, None]
        self.tokens = np.where(upper, rng.integers(15, 30, (n, 12)), rng.integers(1, 15, (n, 12)))

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, k: int) -> dict[str, torch.Tensor]:
        tokens = torch.tensor(self.tokens[k])
        return {
            "input_ids": tokens,
            "attention_mask": torch.ones_like(tokens),
            "labels": torch.tensor(int(self.labels[k])),
        }


class CostTrainer(Trainer):
    """The Trainer, with the smooth expected cost as its loss."""

    cost_loss = ExpectedCostLoss(APP, temperature=0.5, from_priors=[0.5, 0.5])

    def compute_loss(self, model, inputs, return_outputs=False, **_):
        """Cross-entropy keeps the posteriors honest; the cost pulls where errors are dear."""
        outputs = model(**inputs)
        labels = inputs["labels"]
        loss = outputs.loss + self.cost_loss.to(labels.device)(outputs.logits, labels)
        return (loss, outputs) if return_outputs else loss


def compute_metrics(prediction) -> dict[str, float]:
    """Cost and normalised cost of Bayes decisions, at the priors of the place of use."""
    logits, labels = prediction
    posteriors = stakes.Posteriors.from_logits(logits)
    old = np.bincount(labels, minlength=2) / len(labels)
    decisions = stakes.bayes_decisions(
        posteriors.with_priors(APP.priors, from_priors=old).values, APP
    )
    return {
        "cost": stakes.expected_cost(labels, decisions, application=APP),
        "nec": stakes.normalized_expected_cost(labels, decisions, application=APP),
    }


def main() -> dict[str, float]:
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=30, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=16, num_labels=2,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        trainer = CostTrainer(
            model=BertForSequenceClassification(config),
            args=TrainingArguments(
                output_dir=folder,
                num_train_epochs=4,
                per_device_train_batch_size=32,
                learning_rate=5e-3,
                report_to=[],
                save_strategy="no",
                logging_strategy="no",
                disable_tqdm=True,
                use_cpu=True,
            ),
            train_dataset=Texts(600, seed=0),
            eval_dataset=Texts(400, seed=1),
            compute_metrics=compute_metrics,
        )
        before = trainer.evaluate()
        trainer.train()
        after = trainer.evaluate()
    return {"before": before["eval_nec"], "after": after["eval_nec"]}


if __name__ == "__main__":
    print(main())
