# Maximum likelihood references: lme4::glmer with adaptive Gauss-Hermite quadrature, one random intercept a fit.
#
#   Rscript lme4_reference.R            (run in this folder; about a minute on one core)
#
# Reads counts/*.items.csv and writes lme4_reference.csv (one row a table) and lme4_reference.json (versions, settings).
# The block is coded -1/2 (incongruent), +1/2 (congruent); the intercept is uncentred.
#
# lme4's logLik with nAGQ > 1 is measured from the saturated model (it is -1/2 of a sum of deviance residuals), so it
# differs from a full log-likelihood by a constant of the data. `loglik_integral` is the log-likelihood of the 0/1 trials
# (no binomial coefficient) at lme4's estimates, by R's own adaptive integrate(), an independent check of both sides.

suppressMessages({
  library(lme4)
  library(jsonlite)
})

node_counts <- c(25L, 100L)  # 25 falls short where the sd is near 3 and many groups are all 1, so 100 stands beside it
control <- glmerControl(optimizer = "bobyqa", tolPwrss = 1e-10, optCtrl = list(maxfun = 2e5, rhoend = 1e-9))

bernoulli_loglik <- function(d, alpha, beta, sd) {
  total <- 0
  for (rows in split(d, d$group)) {
    joint <- function(u) {
      vapply(u, function(v) {
        eta <- alpha + beta * rows$block + v
        sum(rows$successes * plogis(eta, log.p = TRUE) + (rows$trials - rows$successes) * plogis(-eta, log.p = TRUE)) +
          dnorm(v, 0, sd, log = TRUE)
      }, 0)
    }
    if (sd < 1e-6) {
      eta <- alpha + beta * rows$block
      total <- total + sum(rows$successes * plogis(eta, log.p = TRUE) +
        (rows$trials - rows$successes) * plogis(-eta, log.p = TRUE))
      next
    }
    peak <- optimize(joint, c(-12 * sd, 12 * sd), maximum = TRUE, tol = 1e-8)
    f <- function(u) exp(joint(u) - peak$objective)
    width <- 12 * min(sd, 1 / sqrt(max(1e-8, -(joint(peak$maximum + 1e-3) - 2 * joint(peak$maximum) +
      joint(peak$maximum - 1e-3)) / 1e-6)))
    area <- integrate(f, peak$maximum - width, peak$maximum, rel.tol = 1e-10, subdivisions = 500L)$value +
      integrate(f, peak$maximum, peak$maximum + width, rel.tol = 1e-10, subdivisions = 500L)$value
    total <- total + peak$objective + log(area)
  }
  total
}

saturated_loglik <- function(d) {
  p <- d$successes / d$trials
  sum(ifelse(d$successes > 0, d$successes * log(p), 0) +
    ifelse(d$successes < d$trials, (d$trials - d$successes) * log1p(-p), 0))
}

# P(success) in a block with the random intercept integrated out.
marginal_probability <- function(eta, sd) {
  if (sd < 1e-6) return(plogis(eta))
  integrate(function(z) plogis(eta + sd * z) * dnorm(z), -12, 12, rel.tol = 1e-10, subdivisions = 500L)$value
}

fit_table <- function(path, nodes) {
  name <- sub("\\.items\\.csv$", "", basename(path))
  d <- read.csv(path, colClasses = c(group = "character"))
  caught <- character(0)
  if (all(d$successes == d$trials) || all(d$successes == 0)) {
    # lme4 refuses such data outright; what it says is kept, then its check is switched off to see where it goes.
    caught <- tryCatch({glmer(cbind(successes, trials - successes) ~ block + (1 | group), data = d, family = binomial)
      character(0)}, error = conditionMessage)
    control$checkControl$check.response.not.const <- "ignore"
  }
  fit <- withCallingHandlers(
    glmer(cbind(successes, trials - successes) ~ block + (1 | group), data = d, family = binomial, nAGQ = nodes,
          control = control),
    warning = function(w) { caught <<- c(caught, conditionMessage(w)); invokeRestart("muffleWarning") },
    message = function(m) { caught <<- c(caught, conditionMessage(m)); invokeRestart("muffleMessage") }
  )
  est <- fixef(fit)
  se <- tryCatch(sqrt(diag(as.matrix(vcov(fit)))), error = function(e) c(NA, NA), warning = function(w) c(NA, NA))
  sd <- attr(VarCorr(fit)$group, "stddev")[[1]]
  top <- marginal_probability(est[[1]] + est[[2]] / 2, sd)
  low <- marginal_probability(est[[1]] - est[[2]] / 2, sd)
  by_block <- aggregate(cbind(trials, successes) ~ block, d, sum)
  perfect <- sum(by_block$successes == by_block$trials | by_block$successes == 0)
  optimiser <- fit@optinfo
  data.frame(
    table = name, nodes = nodes, groups = length(unique(d$group)), trials = sum(d$trials), successes = sum(d$successes),
    alpha = est[[1]], beta = est[[2]], sd = sd, se_alpha = se[[1]], se_beta = se[[2]],
    p_congruent = top, p_incongruent = low, delta_p = top - low,
    loglik_lme4 = as.numeric(logLik(fit)), loglik_saturated = saturated_loglik(d),
    loglik_integral = bernoulli_loglik(d, est[[1]], est[[2]], sd),
    singular = isSingular(fit), separated_blocks = perfect, optimiser_code = optimiser$conv$opt,
    evaluations = optimiser$feval,
    messages = paste(gsub("\\s+", " ", unique(c(caught, unlist(optimiser$conv$lme4$messages)))), collapse = " | ")
  )
}

paths <- sort(Sys.glob("counts/*.items.csv"))
runs <- expand.grid(nodes = node_counts, path = paths, stringsAsFactors = FALSE)
rows <- do.call(rbind, Map(fit_table, runs$path, runs$nodes))
numeric_columns <- vapply(rows, is.double, TRUE)
rows[numeric_columns] <- lapply(rows[numeric_columns], signif, digits = 12)
write.csv(rows, "lme4_reference.csv", row.names = FALSE)
write_json(list(
  what = "maximum likelihood, lme4::glmer, binomial-logit, one random intercept",
  formula = "cbind(successes, trials - successes) ~ block + (1 | group), block coded -1/2, +1/2",
  origin = "computed by lme4_reference.R",
  R = R.version.string, lme4 = as.character(packageVersion("lme4")), nAGQ = node_counts,
  optimiser = "bobyqa", rhoend = 1e-9, tolPwrss = 1e-10,
  tolerance = list(loglik = 1e-3, why = paste("100 adaptive nodes against exact quadrature",
    "of the same integrand; 25 nodes are off by up to 5e-3 where the sd is near 3"))
), "lme4_reference.json", auto_unbox = TRUE, pretty = TRUE, digits = 12)
rownames(rows) <- NULL
print(rows[c("table", "nodes", "alpha", "beta", "sd", "se_alpha", "se_beta", "delta_p", "singular", "separated_blocks")])
with(rows, print(data.frame(table, nodes, gap = loglik_integral - loglik_saturated - loglik_lme4, messages)))
