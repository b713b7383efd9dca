# Maximum likelihood references of the ordinal model: ordinal::clmm with adaptive Gauss-Hermite quadrature.
#
#   Rscript clmm_reference.R            (run in this folder; some minutes on one core)
#
# Model: P(level <= k) = expit(threshold_k - effect[variant] - u[item]), u ~ N(0, sigma_item), the reference variant's
# effect 0. Reads scores/*.csv and scores/worlds.json, writes clmm_reference.csv (one row a table and quantity),
# clmm_loglik.csv (one row a table) and clmm_reference.json. `threshold[k]` is the boundary between the declared levels k
# and k + 1.
#
# clmm knows only the levels that occur. Where a declared level is unused, its one boundary in place of two stands under
# the name of the lower one, and `until` holds the upper one: threshold[2], until 3, is the boundary between levels 2 and 4.
# `loglik_integral` is the log-likelihood at clmm's estimates by R's own adaptive integrate(), an independent check of both.

suppressMessages({
  library(ordinal)
  library(jsonlite)
})

nodes <- 15L
control <- clmm.control(gradTol = 1e-5, maxIter = 200L)
worlds <- fromJSON("scores/worlds.json")
tables <- c("prometheus", "unused_level", "simulated")

level_logprob <- function(upper, lower) plogis(upper, log.p = TRUE) + log1p(-exp(pmin(
  plogis(lower, log.p = TRUE) - plogis(upper, log.p = TRUE), -1e-15)))

ordinal_loglik <- function(d, cuts, effects, sd) {
  edges <- c(-Inf, cuts, Inf)
  total <- 0
  for (rows in split(d, d$item)) {
    k <- as.integer(rows$y)
    eta <- effects[as.integer(rows$variant)]
    joint <- function(u) vapply(u, function(v) sum(rows$count * level_logprob(edges[k + 1] - eta - v, edges[k] - eta - v)) +
      dnorm(v, 0, sd, log = TRUE), 0)
    peak <- optimize(joint, c(-12 * sd, 12 * sd), maximum = TRUE, tol = 1e-8)
    f <- function(u) exp(joint(u) - peak$objective)
    area <- integrate(f, peak$maximum - 10 * sd, peak$maximum, rel.tol = 1e-9, subdivisions = 500L)$value +
      integrate(f, peak$maximum, peak$maximum + 10 * sd, rel.tol = 1e-9, subdivisions = 500L)$value
    total <- total + peak$objective + log(area)
  }
  total
}

fit_table <- function(name) {
  d <- read.csv(sprintf("scores/%s.csv", name), colClasses = c(item = "character", variant = "character"))
  d$variant <- relevel(factor(d$variant), ref = worlds$reference[[name]])
  d$item <- factor(d$item)
  d$y <- factor(d$level, ordered = TRUE)
  used <- as.integer(levels(d$y))
  started <- Sys.time()
  fit <- clmm(y ~ variant + (1 | item), data = d, weights = d$count, link = "logit", nAGQ = nodes, Hess = TRUE,
              control = control)
  cuts <- unname(fit$alpha)
  effects <- unname(fit$beta)
  sd <- attr(VarCorr(fit)$item, "stddev")[[1]]
  covariance <- vcov(fit)
  se <- sqrt(diag(covariance))
  # the last parameter of clmm's Hessian is log(sd); its standard error is carried over by the delta method
  se <- c(se[seq_len(length(cuts) + length(effects))], sd * se[length(se)])
  low <- used[-length(used)]
  high <- used[-1] - 1L
  loglik <- ordinal_loglik(d, cuts, c(0, effects), sd)
  cat(name, format(Sys.time() - started), as.numeric(logLik(fit)) - loglik, "gradient", max(abs(fit$gradient)), "\n")
  quantities <- data.frame(
    table = name,
    quantity = c(sprintf("threshold[%d]", low), sprintf("effect[%s]", levels(d$variant)[-1]), "sigma_item"),
    until = c(high, rep(NA, length(effects) + 1)), estimate = c(cuts, effects, sd), se = unname(se))
  facts <- data.frame(table = name, rows = sum(d$count), items = nlevels(d$item), levels_used = length(used),
    loglik_clmm = as.numeric(logLik(fit)), loglik_integral = loglik, max_gradient = max(abs(fit$gradient)),
    condition = max(eigen(solve(covariance))$values) / min(eigen(solve(covariance))$values))
  list(quantities = quantities, facts = facts)
}

fits <- lapply(tables, fit_table)
write_rounded <- function(rows, path, digits) {
  reals <- vapply(rows, is.double, TRUE)
  rows[reals] <- lapply(rows[reals], signif, digits = digits)
  write.csv(rows, path, row.names = FALSE)
  print(rows)
}
write_rounded(do.call(rbind, lapply(fits, `[[`, "quantities")), "clmm_reference.csv", 9)
write_rounded(do.call(rbind, lapply(fits, `[[`, "facts")), "clmm_loglik.csv", 12)
write_json(list(
  what = "maximum likelihood, ordinal::clmm, cumulative logit, one random intercept by item",
  formula = "level ~ variant + (1 | item), P(level <= k) = expit(threshold_k - effect - u_item)",
  origin = "computed by clmm_reference.R", R = R.version.string, ordinal = as.character(packageVersion("ordinal")),
  nAGQ = nodes, gradTol = 1e-5
), "clmm_reference.json", auto_unbox = TRUE, pretty = TRUE, digits = 12)
