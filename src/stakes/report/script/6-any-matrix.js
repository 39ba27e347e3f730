  // ---- any number of classes: the matrix, and the price of abstaining
  const table = () => {
    const [K, M] = [app.classes.length, app.decisions.length];
    const size = many.sample || 0;
    const truth = unpack(many.truth);
    const given = many.models.map((model) => ({
      counts: model.counts, posteriors: unpack(model.posteriors),
      lost: unpack(model.lost), left: unpack(model.left),
    }));
    const prices = many.abstain && unpack(many.abstain.prices);
    let costs = app.costs.map((row) => row.slice());
    let counts = given.map((model) => model.counts);
    const decide = (model) => {
      if (!model.posteriors) return model.counts;
      const found = app.classes.map(() => new Array(M).fill(0));
      for (let n = 0; n < size; n += 1) {
        let chosen = 0;
        let least = Infinity;
        for (let j = 0; j < M; j += 1) {
          let cost = 0;
          for (let i = 0; i < K; i += 1) cost += model.posteriors[n * K + i] * costs[i][j];
          if (cost < least) { least = cost; chosen = j; }
        }
        found[truth[n]][chosen] += 1;
      }
      return found;
    };
    const standard = () => costs.map((row) => row.map((c) => c - Math.min(...row)));
    const bottom = (std) => Math.min(...app.decisions.map((_, j) => std.reduce((s, row, i) => s + app.priors[i] * row[j], 0)));
    const mean = (std, table_) => std.reduce((sum, row, i) => {
      const total = table_[i].reduce((a, b) => a + b, 0);
      return total ? sum + app.priors[i] * row.reduce((s, c, j) => s + c * (table_[i][j] / total), 0) : sum;
    }, 0);
    const fill = (nec, naive, moved) => {
      leave(moved);
      names.forEach((_, n) => {
        put(`nec-${n}`, nec[n].toFixed(3), nec[n]);
        if (moved) ["interval", "after", "chance"].forEach((name) => put(`${name}-${n}`, "", null));
        else restore(n);
      });
      savings(naive, nec);
      const best = nec.reduce((b, v, n) => (v < nec[b] ? n : b), 0);
      order(nec, best);
      if (!moved) { announce(statedVerdict); return best; }
      const saved = 1 - nec[best];
      announce(saved > 0
        ? `Cheapest here: ${names[best]}. It avoids ${percent(saved, 0)} of the cost of the best ` +
          `constant decision: ${amount(naive * saved)}. How sure this is was computed at the stated costs only.`
        : "None: no model here costs less than the best constant decision.");
      return best;
    };
    const kept = ["interval", "after", "chance"].map((name) => names.map((_, n) => $(`${name}-${n}`)?.textContent));
    const restore = (n) => ["interval", "after", "chance"].forEach((name, at) => {
      if (kept[at][n] !== undefined) put(`${name}-${n}`, kept[at][n], null);
    });
    let payer = null;
    const pay = (best) => {
      if (!$("payer")) return;
      if (payer === null) $("payer").value = String(best);
      payers(costs, app.priors, counts[Number($("payer").value)]);
    };
    const edited = () => {
      let moved = false;
      costs = costs.map((row, i) => row.map((c, j) => {
        const typed = $(`cost-${i}-${j}`).value;
        const value = typed === "" || !Number.isFinite(Number(typed)) ? app.costs[i][j] : Number(typed);
        moved = moved || value !== app.costs[i][j];
        return value;
      }));
      counts = moved ? given.map(decide) : given.map((model) => model.counts);
      const std = standard();
      const naive = bottom(std);
      if (!(naive > 0)) { announce("Nothing to decide: a constant decision is already perfect under these costs."); return; }
      const nec = moved ? counts.map((c) => mean(std, c) / naive) : stated.map((m) => m.nec);
      pay(fill(nec, naive, moved || volume() !== app.volume));
    };
    const over = (share, price) => {
      $("abstain-shown").textContent = plain(price, 3);
      $("abstain").setAttribute("aria-valuetext", plain(price, 3));
      $("abstain-said").textContent = names.map((name, n) => (share[n] === undefined ? "" :
        `${name} hands over ${percent(share[n], 1)}`)).filter(Boolean).join(", ");
    };
    const abstain = () => {
      const at = Number($("abstain").value);
      const { column, start } = many.abstain;
      const price = at === start ? app.costs[0][column] : prices[at];
      if (many.editable) {
        app.classes.forEach((_, i) => { $(`cost-${i}-${column}`).value = String(price); });
        edited();
        const left = (c, i) => c[i][column] / (c[i].reduce((a, b) => a + b, 0) || 1);
        over(names.map((_, n) => app.priors.reduce((sum, p, i) => sum + p * left(counts[n], i), 0)), price);
        return;
      }
      costs = app.costs.map((row) => row.map((c, j) => (j === column ? price : c)));
      const std = standard();
      const naive = bottom(std);
      const shift = app.costs.map((row) => Math.min(...row.filter((_, j) => j !== column), price));
      const share = [];
      const nec = given.map((model, n) => {
        if (!model.lost) return mean(std, model.counts) / naive;
        let cost = 0;
        share[n] = 0;
        for (let i = 0; i < K; i += 1) {
          const total = many.totals[i];
          if (!total) continue;
          const left = model.left[at * K + i] / total;
          cost += app.priors[i] * (model.lost[at * K + i] / total + price * left - shift[i]);
          share[n] += app.priors[i] * left;
        }
        return cost / naive;
      });
      const moved = at !== start;
      fill(moved ? nec : stated.map((m) => m.nec), naive, moved || volume() !== app.volume);
      names.forEach((_, n) => put(`nec-${n}`, nec[n].toFixed(3), nec[n]));
      over(share, price);
    };
    const redo = () => {
      if (many.editable) edited();
      else if (prices && Number($("abstain").value) !== many.abstain.start) abstain();
      else plainly();
    };
    const plainly = () => {
      const std = standard();
      pay(fill(stated.map((m) => m.nec), bottom(std), volume() !== app.volume));
    };
    $("volume").disabled = false;
    $("volume").addEventListener("input", redo);
    if ($("payer")) {
      $("payer").disabled = false;
      $("payer").addEventListener("change", () => { payer = Number($("payer").value); pay(payer); });
    }
    if (many.editable) {
      document.querySelectorAll("input.cost").forEach((box) => {
        box.disabled = false;
        box.addEventListener("input", edited);
      });
    }
    if (prices) {
      $("abstain").disabled = false;
      $("abstain").addEventListener("input", abstain);
      abstain();
    }
  };

