"""Train with PyTorch Lightning by expected cost; the metrics add over batches and devices.

Synthetic data and a linear model, so that it runs in seconds.

Needs: pip install 'stakes[torch]' lightning
"""

from __future__ import annotations

import lightning
import torch

import stakes
from stakes.integrations.torch import ExpectedCost, ExpectedCostLoss, annealed_temperature

APP = stakes.Application(stakes.CostMatrix([[0, 1, 2], [3, 0, 1], [9, 4, 0]]).with_abstention(0.4))


class Model(lightning.LightningModule):
    """Cross-entropy for the first half of training, expected cost afterwards."""

    def __init__(self, steps: int) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(2, 3)
        self.entropy = torch.nn.CrossEntropyLoss()
        self.cost = ExpectedCostLoss(APP)
        self.nec = ExpectedCost(APP, normalized=True)
        self.steps = steps

    def training_step(self, batch, _):
        """One step; the temperature falls as training goes on."""
        x, y = batch
        half = self.steps // 2
        if self.global_step < half:
            return self.entropy(self.layer(x), y)
        self.cost.temperature = annealed_temperature(self.global_step - half, half, stop=0.2)
        return self.cost(self.layer(x), y)

    def validation_step(self, batch, _) -> None:
        """Count; Lightning computes and merges at the end of the epoch."""
        x, y = batch
        self.nec.update(self.layer(x).softmax(dim=1), y)
        self.log("nec", self.nec)

    def configure_optimizers(self):
        """Adam."""
        return torch.optim.Adam(self.parameters(), lr=0.05)


def rows(n: int, seed: int) -> torch.utils.data.TensorDataset:
    """Three classes of different spread around near centres."""
    generator = torch.Generator().manual_seed(seed)
    y = torch.randint(0, 3, (n,), generator=generator)
    spread = torch.tensor([[1.0, 0.4], [0.5, 1.6], [1.8, 0.6]])[y]
    centre = torch.tensor([[0.0, 0.0], [1.5, 0.8], [-0.8, 1.8]])[y]
    x = torch.randn(n, 2, generator=generator) * spread + centre
    return torch.utils.data.TensorDataset(x, y)


def main() -> dict[str, float]:
    lightning.seed_everything(0, verbose=False)
    train = torch.utils.data.DataLoader(rows(1024, 0), batch_size=128, shuffle=True)
    test = torch.utils.data.DataLoader(rows(2000, 1), batch_size=500)
    trainer = lightning.Trainer(
        max_epochs=12, accelerator="cpu", devices=1, logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False,
    )  # fmt: skip
    model = Model(steps=12 * len(train))
    before = trainer.validate(model, test, verbose=False)[0]["nec"]
    trainer.fit(model, train)
    after = trainer.validate(model, test, verbose=False)[0]["nec"]
    return {"before": before, "after": after}


if __name__ == "__main__":
    print(main())
